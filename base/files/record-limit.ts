let limit = 64 * 2 ** 20

/** The characters that one record of a text file (a line, an item of a list) may have; more is refused while it is read. */
export const recordLimit = (): number => limit

/** `PIPELINE_MAX_RECORD_MB` sets it. */
export function setRecordLimit(megabytes: number): void {
  limit = Math.floor(megabytes * 2 ** 20)
}

/** What is told of a longer one, behind its place. */
export const tooLong = (what: string): string =>
  `${what} is longer than ${(limit / 2 ** 20).toLocaleString('en')} MB, the most that is read as one record. Is its end missing? PIPELINE_MAX_RECORD_MB sets another limit`
