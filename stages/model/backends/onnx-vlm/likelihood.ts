/** The index of the greatest value; the first of equals. */
export function argmax(values: Float32Array): number {
  let best = 0
  let greatest = -Infinity
  values.forEach((value, i) => {
    if (value > greatest) {
      greatest = value
      best = i
    }
  })
  return best
}

/** The natural logarithm of the softmax at `index`, in double precision. */
export function logSoftmaxAt(logits: Float32Array, index: number): number {
  const greatest = logits.reduce((a, b) => Math.max(a, b), -Infinity)
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - greatest), 0)
  return (logits[index] ?? Number.NaN) - greatest - Math.log(sum)
}
