/** Maximum characters of one record of a text file (a line, an item of a list), unless `PIPELINE_MAX_RECORD_MB` sets another limit for a plan. */
export const usualRecordLimit = 64 * 2 ** 20

/** The largest limit that can be set: a text of Node holds little more. It holds for the logs of other tools. */
export const largestRecordLimit = 400 * 2 ** 20

/** Describes a record that exceeds the limit, for use after its `file:line`. */
export function tooLong(what: string, limit: number): string {
  const advice = limit < largestRecordLimit ? ' PIPELINE_MAX_RECORD_MB sets another limit' : ''
  return `${what} is longer than ${(limit / 2 ** 20).toLocaleString('en')} MB, the maximum for one record. Is its end missing?${advice}`
}
