/** The durations of calls to services, as an answer's `Server-Timing` has them. */

/** Reports the duration of a service call, for `Server-Timing`; for D1 also the rows read. */
export type OnTiming = (name: string, ms: number, rows?: number) => void;
