let limit = 64 * 2 ** 20

/**
 * Returns the maximum number of characters of one record of a text file (a line, an item of a list). Longer records are rejected while they are
 * read.
 */
export const recordLimit = (): number => limit

/** Sets the limit, from `PIPELINE_MAX_RECORD_MB`. */
export function setRecordLimit(megabytes: number): void {
  limit = Math.floor(megabytes * 2 ** 20)
}

/** Describes a record that exceeds the limit, for use after its place. */
export const tooLong = (what: string): string =>
  `${what} is longer than ${(limit / 2 ** 20).toLocaleString('en')} MB, the maximum for one record. Is its end missing? PIPELINE_MAX_RECORD_MB sets another limit`
