import { pythonRandom, type PythonRandom } from '../../../../base/python-random.js'
import { ngramsOf } from './ngrams.js'
import { languageProfiles, type LanguageProfiles } from './profiles.js'

const trials = 7
const longestTrial = 1000
const isSure = 0.99999
const leastProbability = 0.1
const smoothing = { mean: 0.5, deviation: 0.05, base: 10_000 }

/**
 * The language that a text is most likely in, as a code of langdetect (`en`, `zh-cn`, …), or `unknown` where no language has a probability
 * above 0.1. Nothing where the text has no letters to tell by.
 *
 * A naive Bayesian classifier looks at randomly drawn n-grams until it is sure, seven times over. The draws are those of the seed 0, so that
 * a text has one language for good; the reference draws anew each time unless it is given a seed.
 *
 * Source: langdetect 1.0.9, a port of Nakatani Shuyo's language-detection (2010), with `DetectorFactory.seed = 0`.
 */
export function detectLanguage(text: string): string | undefined {
  const profiles = languageProfiles()
  const grams = ngramsOf(text, profiles)
  if (grams.length === 0) return undefined
  const random = pythonRandom(0)
  const mean = profiles.languages.map(() => 0)
  for (let i = 0; i < trials; i++)
    for (const [language, probability] of trial(grams, profiles, random).entries())
      mean[language] = (mean[language] ?? 0) + probability / trials
  const best = mean.reduce((most, probability, language) => (probability > (mean[most] ?? 0) ? language : most), 0)
  return (mean[best] ?? 0) > leastProbability ? profiles.languages[best] : 'unknown'
}

function trial(grams: readonly string[], profiles: LanguageProfiles, random: PythonRandom): Float64Array {
  const probabilities = new Float64Array(profiles.languages.length).fill(1 / profiles.languages.length)
  const weight = (smoothing.mean + random.gauss() * smoothing.deviation) / smoothing.base
  const factors = new Float64Array(probabilities.length).fill(weight)
  for (let i = 0; ; i++) {
    const shares = profiles.sharesOf(grams[random.below(grams.length)] ?? '') ?? []
    for (const [language, share] of shares) factors[language] = weight + share
    for (let language = 0; language < factors.length; language++)
      probabilities[language] = (probabilities[language] ?? 0) * (factors[language] ?? 0)
    for (const [language] of shares) factors[language] = weight
    if (i % 5 === 0 && (normalise(probabilities) > isSure || i >= longestTrial)) return probabilities
  }
}

/** Makes the sum 1, and gives the largest. */
function normalise(probabilities: Float64Array): number {
  let sum = 0
  for (let language = 0; language < probabilities.length; language++) sum += probabilities[language] ?? 0
  let most = 0
  for (let language = 0; language < probabilities.length; language++) {
    const share = (probabilities[language] ?? 0) / sum
    probabilities[language] = share
    if (share > most) most = share
  }
  return most
}
