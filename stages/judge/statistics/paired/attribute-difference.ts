/**
 * Attributes the difference between two runs A and B to the factors in which they differ, such as data, prompt and
 * model, by Shapley values. Each factor gets its mean effect over all orders in which the factors can change from A to
 * B, so that the effects add up to the whole difference.
 *
 * Source: Shapley, "A value for n-person games", Contributions to the Theory of Games 2 (1953).
 *
 * @param score returns the score of the run that takes each factor from A or B, as a text such as `AAB` in the order of
 * `factors`. It is called for each of the 2ᵏ mixtures once.
 */
export function attributeDifference(
  factors: readonly string[],
  score: (mixture: string) => number,
): { readonly effects: Readonly<Record<string, number>>; readonly total: number } {
  const count = factors.length
  const scores = Array.from({ length: 2 ** count }, (_, set) => score(spellMixture(set, count)))
  const effects = factors.map((factor, at): readonly [string, number] => {
    let effect = 0
    for (let set = 0; set < scores.length; set++)
      if ((set & (1 << at)) === 0)
        effect += computeWeight(countBits(set), count) * ((scores[set | (1 << at)] ?? 0) - (scores[set] ?? 0))
    return [factor, effect]
  })
  return { effects: Object.fromEntries(effects), total: (scores.at(-1) ?? 0) - (scores[0] ?? 0) }
}

const spellMixture = (set: number, count: number): string =>
  Array.from({ length: count }, (_, at) => ((set & (1 << at)) === 0 ? 'A' : 'B')).join('')

/** Computes the share of orders in which exactly these factors come before the next: size! (count − size − 1)! / count! */
function computeWeight(size: number, count: number): number {
  let weight = 1 / count
  for (let k = 1; k <= size; k++) weight *= k / (count - k)
  return weight
}

function countBits(set: number): number {
  let bits = 0
  for (let rest = set; rest > 0; rest >>= 1) bits += rest & 1
  return bits
}
