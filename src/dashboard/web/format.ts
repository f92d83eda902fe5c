// Numbers and times in the user's language.

const TENTH = 100;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The last time that a `Date` can have. */
const LATEST = 8.64e15;

/** What is shown instead of a value that is not known. */
export const NO_VALUE = '–';

export interface Formats {
  /** `12,345` */
  readonly number: (value: number | null) => string;
  /** `12.3K`, for an axis. */
  readonly compact: (value: number) => string;
  /** `850 ms`, `12.3 s`, `4 min 10 s` */
  readonly duration: (milliseconds: number | null) => string;
  /** With seconds; the day only if it is not the day of `now`. */
  readonly clock: (time: number, now: number) => string;
  /** `6:08 PM`; with the date if it is not the day of `now`. */
  readonly minute: (time: number, now: number) => string;
  readonly date: (time: number) => string;
  readonly dateTime: (time: number) => string;
  /** `5 minutes ago` */
  readonly ago: (time: number, now: number) => string;
}

/** @param locale BCP 47, such as `navigator.language` */
export function formatsFor(locale: string): Formats {
  const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
  const seconds = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const dayAndClock = new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const minute = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  /** A time that no calendar has must not stop the page. */
  const known = (time: number, format: () => string) => (Math.abs(time) <= LATEST ? format() : NO_VALUE);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return {
    number: (value) => (value === null ? NO_VALUE : integer.format(value)),
    compact: (value) => compact.format(value),
    duration: (value) => {
      if (value === null) return NO_VALUE;
      if (Math.round(value) < SECOND) return `${integer.format(value)} ms`;
      if (value < MINUTE - TENTH / 2) return `${seconds.format(value / SECOND)} s`;
      const all = Math.round(value / SECOND);
      return `${integer.format(Math.floor(all / 60))} min ${integer.format(all % 60)} s`;
    },
    clock: (time, now) => known(time, () => (isSameDay(time, now) ? clock : dayAndClock).format(time)),
    minute: (time, now) => known(time, () => (isSameDay(time, now) ? minute : dateTime).format(time)),
    date: (time) => known(time, () => date.format(time)),
    dateTime: (time) => known(time, () => dateTime.format(time)),
    ago: (time, now) =>
      known(time, () => {
        const age = now - time;
        if (age < MINUTE) return relative.format(0, 'second');
        if (age < HOUR) return relative.format(-Math.floor(age / MINUTE), 'minute');
        if (age < DAY) return relative.format(-Math.floor(age / HOUR), 'hour');
        return relative.format(-Math.floor(age / DAY), 'day');
      }),
  };
}

function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}
