/**
 * Work that waits now and then, written as a generator: an async function would go on in a later turn even where it waits for
 * nothing, where nobody can end it any more.
 */
export type Steps<Result> = Generator<Promise<unknown>, Result, unknown>

/** The value, waited for where it is a promise. */
export function* settled<Value>(value: Value | Promise<Value>): Steps<Value> {
  return value instanceof Promise ? ((yield value) as Value) : value
}

/** Does the work; `turn` is called around each part of it that waits for nothing. */
export function taken<Result>(
  steps: Steps<Result>,
  turn: <Value>(work: () => Value) => Value,
): Result | Promise<Result> {
  const next = turn(() => steps.next())
  return next.done === true ? next.value : resumed(steps, next.value, turn)
}

async function resumed<Result>(
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
