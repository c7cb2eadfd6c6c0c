/** Bounds the work of one rendering: a template is a user's code, and its loops may be nested without an end. */

/** Statements, expressions and items; about two seconds of work, where a long prompt takes some thousands. */
const most = 10_000_000
let left = most

/** Renders with a budget of its own. */
export function budgeted<Result>(work: () => Result): Result {
  const before = left
  left = most
  try {
    return work()
  } finally {
    left = before
  }
}

/** @throws Error where the budget is used up. */
export function spend(steps: number): void {
  left -= steps
  if (left >= 0) return
  throw new Error(
    `the template does more than ${most / 1_000_000} million steps: shorten its loops, such as a range() within another`,
  )
}
