// The latest requests, as the dashboard keeps and orders them.
import type { NamedRequest } from '../model.ts';

/** As many as are shown. */
export const MAX_ROWS = 500;

export class RequestList {
  /** By ID; in the order in which they began. */
  readonly #rows = new Map<number, NamedRequest>();
  /** When the latest row of each running request arrived. */
  readonly #arrivals = new Map<number, number>();
  /** False until the first row. A proxy that starts again forgets all of them. */
  hadRows = false;

  /**
   * Adds and replaces rows, and forgets the oldest above the limit.
   * @param rows all requests that are running at present, and those that have ended
   */
  update(rows: readonly NamedRequest[], reset: boolean, now: number): void {
    if (reset) {
      this.#rows.clear();
      this.#arrivals.clear();
    }
    for (const row of rows) {
      this.#rows.set(row.id, row);
      if (row.outcome === null) this.#arrivals.set(row.id, now);
      else this.#arrivals.delete(row.id);
    }
    this.hadRows ||= rows.length > 0;
    const excess = this.#rows.size - MAX_ROWS;
    if (excess <= 0) return;
    const running = new Set(rows.filter((row) => row.outcome === null).map(({ id }) => id));
    const over = [...this.#rows.keys()].filter((id) => !running.has(id)).toSorted((a, b) => a - b);
    for (const id of over.slice(0, excess)) {
      this.#rows.delete(id);
      this.#arrivals.delete(id);
    }
  }

  /** In milliseconds; that of a running request continues. */
  duration({ id, durationMs }: NamedRequest, now: number): number {
    const arrived = this.#arrivals.get(id);
    return arrived === undefined ? durationMs : durationMs + Math.max(0, now - arrived);
  }

  get hasRunning(): boolean {
    return this.#arrivals.size > 0;
  }

  /**
   * The names of the clients, sorted.
   * @param ownChecks whether those of the extension's own checks are among them
   */
  clients(ownChecks: boolean): string[] {
    const names = new Set(this.#listed(ownChecks).map(({ client }) => client));
    return [...names].toSorted((a, b) => a.localeCompare(b));
  }

  /** Running requests first, then the latest ones; those of one client, or all. */
  sorted(ownChecks: boolean, client?: string): NamedRequest[] {
    const rows = this.#listed(ownChecks).filter((row) => client === undefined || row.client === client);
    return rows.toSorted((a, b) => Number(b.outcome === null) - Number(a.outcome === null) || b.id - a.id);
  }

  #listed(ownChecks: boolean): NamedRequest[] {
    return [...this.#rows.values()].filter(({ isCheck }) => ownChecks || !isCheck);
  }
}
