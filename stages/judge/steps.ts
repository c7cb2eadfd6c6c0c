/**
 * Scoring work written as a generator, which yields the promises that it waits for. An async function always
 * continues in a later turn, even if it waits for nothing, and the time limit can't stop it there.
 */
export type Steps<Result> = Generator<Promise<unknown>, Result, unknown>

/** Waits for a promise; any other value is returned at once. */
export function* awaitValue<Value>(value: Value | Promise<Value>): Steps<Value> {
  return value instanceof Promise ? ((yield value) as Value) : value
}

/** Runs the work. `turn` wraps each part of it that runs without waiting. */
export function runSteps<Result>(
  steps: Steps<Result>,
  turn: <Value>(work: () => Value) => Value,
): Result | Promise<Result> {
  const next = turn(() => steps.next())
  return next.done === true ? next.value : resumeSteps(steps, next.value, turn)
}

async function resumeSteps<Result>(
  steps: Steps<Result>,
  first: Promise<unknown>,
  turn: <Value>(work: () => Value) => Value,
): Promise<Result> {
  for (let waiting = first; ;) {
    const step = await waiting.then(
      value => () => steps.next(value),
      (error: unknown) => () => steps.throw(error),
    )
    const next = turn(step)
    if (next.done === true) return next.value
    waiting = next.value
  }
}
