/** The aggregations that are there by name. A new one is a file here and a line below. */
import { bleu } from './bleu.js'
import { bypass } from './bypass.js'
import { chrf } from './chrf.js'
import { cider } from './cider.js'
import { cocoBleu } from './coco-bleu.js'
import { mean } from './mean.js'
import { median } from './median.js'
import { mer } from './mer.js'
import { meteor } from './meteor.js'
import { mmeAccPlus } from './mme-acc-plus.js'
import { mme } from './mme.js'
import { perplexity } from './perplexity.js'
import { sum } from './sum.js'
import { ter } from './ter.js'
import { wer } from './wer.js'
import { wil } from './wil.js'
import { wip } from './wip.js'
import { yesNoF1 } from './yes-no-f1.js'
import { yesNoPrecision } from './yes-no-precision.js'
import { yesNoRatio } from './yes-no-ratio.js'
import { yesNoRecall } from './yes-no-recall.js'

export const aggregations = [
  mean,
  median,
  sum,
  perplexity,
  bypass,
  bleu,
  chrf,
  ter,
  cider,
  cocoBleu,
  meteor,
  mme,
  mmeAccPlus,
  yesNoPrecision,
  yesNoRecall,
  yesNoF1,
  yesNoRatio,
  wer,
  mer,
  wil,
  wip,
]
