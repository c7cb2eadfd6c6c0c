// The leaderboard's rule for 20 equal models on 200 docs: each against the one with the best score.
const D = process.argv[2] + '/dist/stages/judge/statistics/'
const { comparePaired } = await import(D + 'paired/compare-paired.js')
const { findWorse } = await import(D + 'multiplicity/find-worse.js')
let s = 42
const rnd = () => {
  s = (s + 0x6d2b79f5) | 0
  let t = Math.imul(s ^ (s >>> 15), 1 | s)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
const g = () => Math.sqrt(-2 * Math.log(1 - rnd())) * Math.cos(2 * Math.PI * rnd())
const [K, n, R] = [20, 200, 200]
let any = 0
for (let r = 0; r < R; r++) {
  const shared = Array.from({ length: n }, g)
  const models = Array.from({ length: K }, () => shared.map(x => (0.7071 * (x + g()) < 0.5 ? 1 : 0)))
  const means = models.map(v => v.reduce((a, b) => a + b) / n)
  const lead = means.indexOf(Math.max(...means))
  const row = models.flatMap((v, k) => {
    if (k === lead) return []
    const { p, difference } = comparePaired({ pairs: v.map((a, i) => ({ id: String(i), a, b: models[lead][i] })) })
    return [{ p, isBelow: difference > 0 }]
  })
  if (findWorse([row])[0].includes(true)) any++
}
console.log(`${K} equal models: at most 9 % of tables call one worse than the best: ${any <= 0.09 * R}`)
