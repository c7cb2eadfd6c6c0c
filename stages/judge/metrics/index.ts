/** The metrics that are there by name. A new one is a file here and a line below. */
import { accBytes } from './acc-bytes.js'
import { accNorm } from './acc-norm.js'
import { acc } from './acc.js'
import { bleu } from './bleu.js'
import { bypass } from './bypass.js'
import { chrf } from './chrf.js'
import { contains } from './contains.js'
import { exactMatch } from './exact-match.js'
import { numericMatch } from './numeric-match.js'
import { optionLetter } from './option-letter.js'
import { perplexity } from './perplexity.js'
import { ter } from './ter.js'

export const metrics = [
  exactMatch,
  contains,
  optionLetter,
  numericMatch,
  acc,
  accNorm,
  accBytes,
  perplexity,
  bypass,
  bleu,
  chrf,
  ter,
]
