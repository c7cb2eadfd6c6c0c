/**
 * Scoring work written as a generator, which yields the promises that it waits for. An async function always
 * continues in a later turn, even if it waits for nothing, and the time limit can't stop it there.
 */
export type Steps<Result> = Generator<Promise<unknown>, Result, unknown>

/** Waits for a promise; any other value is returned at once. */
export function* awaitValue<Value>(value: Value | Promise<Value>): Steps<Value> {
  return value instanceof Promise ? ((yield value) as Value) : value
}

/**
 * Runs the work. `turn` wraps each part of it that runs without waiting, and may call a part again that it ended. The work then starts anew: an ended
 * generator cannot go on.
 */
export function runSteps<Result>(
  start: () => Steps<Result>,
  turn: <Value>(work: () => Value) => Value,
): Result | Promise<Result> {
  let steps: Steps<Result> | undefined
  const next = turn(() => {
    steps = start()
    return steps.next()
  })
  if (next.done === true) return next.value
  if (steps === undefined) throw new Error('internal error: the work was not started')
  return resumeSteps({ steps, start }, next.value, turn)
}

async function resumeSteps<Result>(
  { steps: begun, start }: { readonly steps: Steps<Result>; readonly start: () => Steps<Result> },
  first: Promise<unknown>,
  turn: <Value>(work: () => Value) => Value,
): Promise<Result> {
  let steps = begun
  for (let waiting = first; ;) {
    const step = await waiting.then(
      value => () => steps.next(value),
      (error: unknown) => () => steps.throw(error),
    )
    let isRepeated = false
    const next = turn(() => {
      if (!isRepeated) {
        isRepeated = true
        return step()
      }
      steps = start()
      return steps.next()
    })
    if (next.done === true) return next.value
    waiting = next.value
  }
}
