/** The aggregations that are there by name. A new one is a file here and a line below. */
import { bleu } from './bleu.js'
import { bypass } from './bypass.js'
import { chrf } from './chrf.js'
import { mean } from './mean.js'
import { median } from './median.js'
import { perplexity } from './perplexity.js'
import { sum } from './sum.js'
import { ter } from './ter.js'

export const aggregations = [mean, median, sum, perplexity, bypass, bleu, chrf, ter]
