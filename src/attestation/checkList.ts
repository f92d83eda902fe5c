import type { CheckId } from '../shared/checks.ts';
import type { EvidenceCheck } from '../shared/evidence.ts';
import { AttestationError } from './errors.ts';

/** The exact bytes (hex or Base64) or values that a check compares, by name. */
export type Examined = EvidenceCheck['examined'];

/** What a check adds to what is known: nothing if it only accepts or rejects. */
type Added<Result> = Result extends object ? Result : object;

/**
 * One check.
 * @typeParam Known what it needs: what was given, and what earlier checks have found
 */
export interface Check<Known, Result = unknown> {
  readonly id: CheckId;
  /**
   * What it compares with, if that is not always given: without it, a report skips the check. Later checks can then not
   * rely on its result.
   */
  readonly needs?: keyof Known;
  /**
   * Returns what it has found.
   * @throws AttestationError if the check fails
   */
  readonly run: (known: Known) => Result;
  /** Also called if the check has failed; then it has found nothing. */
  readonly examined: (known: Known & Partial<Added<Result>>) => Examined;
}

export interface Report<Found> {
  /** All checks, in their order. */
  readonly checks: readonly EvidenceCheck[];
  /** Why a check failed. */
  readonly failure: AttestationError | undefined;
  /** What the checks that passed have found. What a failed check leaves of it is not verified. */
  readonly found: Partial<Found>;
}

/** Checks in their order. Each one can use only what earlier ones have found, so most wrong orders do not compile. */
export class CheckList<Given extends object, Found extends object = object> {
  readonly #checks: readonly Check<never>[];

  private constructor(checks: readonly Check<never>[]) {
    this.#checks = checks;
  }

  /** An empty list for these inputs. */
  static for<Given extends object>(): CheckList<Given> {
    return new CheckList<Given>([]);
  }

  /** This list and one more check. */
  and<Result>(check: Check<Given & Found, Result>): CheckList<Given, Found & Added<Result>> {
    return new CheckList([...this.#checks, check]);
  }

  /** This list and another one, which may need more inputs. */
  followedBy<Inputs extends object, More extends object>(
    next: CheckList<Inputs, More>,
  ): CheckList<Given & Omit<Inputs, keyof Found>, Found & More> {
    return new CheckList([...this.#checks, ...next.#checks]);
  }

  /**
   * Runs all checks.
   * @returns what they have found
   * @throws AttestationError of the first check that fails
   */
  run(given: Given): Found {
    const found: Partial<Found> = {};
    for (const check of this.#checks) Object.assign(found, check.run({ ...given, ...found } as never));
    return found as Found;
  }

  /** Runs all checks. Those that have nothing to compare with are skipped, and so are all after one that fails. */
  report(given: { readonly [Name in keyof Given]: Given[Name] | undefined }): Report<Found> {
    const found: Partial<Found> = {};
    let failure: AttestationError | undefined;
    const checks = this.#checks.map((check): EvidenceCheck => {
      const { id, needs, run, examined } = check;
      const known: Readonly<Record<PropertyKey, unknown>> = { ...given, ...found };
      if (failure !== undefined || (needs !== undefined && known[needs] === undefined)) {
        return { id, result: 'skipped', examined: {} };
      }
      try {
        Object.assign(found, run(known as never));
        return { id, result: 'pass', examined: examined({ ...known, ...found } as never) };
      } catch (error) {
        if (!(error instanceof AttestationError)) throw error;
        failure = error;
        return { id, result: 'fail', examined: examined(known as never), error: error.code };
      }
    });
    return { checks, failure, found };
  }
}
