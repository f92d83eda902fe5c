/** Facts for the suite in the extension host, from the test that opens its window: run.json in the open folder. */
export interface RunFacts {
  /** dist/dev-enclave.js. */
  readonly enclave: string;
  /** The address of the development enclave that the window uses. */
  readonly backendUrl: string;
  /** The file in which that enclave records how each request ended. */
  readonly record: string;
  /** The client that the user has already allowed. */
  readonly client: string;
  /** The file of VS Code's machine settings. */
  readonly settingsFile: string;
}

/** The results of the suite: results.json in the same folder. */
export interface RunResults {
  readonly passes: number;
  readonly failures: number;
  readonly report: string;
}
