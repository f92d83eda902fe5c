/** What the test that opens the window tells the suite inside it, in the file run.json of the open folder. */
export interface RunFacts {
  /** dist/dev-enclave.js. */
  readonly enclave: string;
  /** The development enclave that the window was opened with. */
  readonly backendUrl: string;
  /** Where that one writes how each request has ended. */
  readonly record: string;
  /** The client that the person has agreed to already. */
  readonly client: string;
  /** Where VS Code keeps the settings of this machine. */
  readonly settingsFile: string;
}

/** What the suite answers, in the file results.json of the same folder. */
export interface RunResults {
  readonly passes: number;
  readonly failures: number;
  readonly report: string;
}
