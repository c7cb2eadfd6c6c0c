/** The metrics that are there by name. A new one is a file here and a line below. */
import { acc } from './acc.js'
import { accBytes } from './acc-bytes.js'
import { accNorm } from './acc-norm.js'
import { anls } from './anls.js'
import { bleu } from './bleu.js'
import { boxAccuracy } from './box-accuracy.js'
import { bypass } from './bypass.js'
import { centerAccuracy } from './center-accuracy.js'
import { cer } from './cer.js'
import { chrf } from './chrf.js'
import { cider } from './cider.js'
import { cocoBleu } from './coco-bleu.js'
import { cocoRougeL } from './coco-rouge-l.js'
import { contains } from './contains.js'
import { exactMatch } from './exact-match.js'
import { iou } from './iou.js'
import { mer } from './mer.js'
import { meteor } from './meteor.js'
import { mme } from './mme.js'
import { mmeAccPlus } from './mme-acc-plus.js'
import { numericMatch } from './numeric-match.js'
import { optionLetter } from './option-letter.js'
import { perplexity } from './perplexity.js'
import { relaxedAccuracy } from './relaxed-accuracy.js'
import { rouge } from './rouge.js'
import { ter } from './ter.js'
import { vqaAccuracy } from './vqa-accuracy.js'
import { wer } from './wer.js'
import { wil } from './wil.js'
import { wip } from './wip.js'
import { yesNo } from './yes-no.js'
import { yesNoF1 } from './yes-no-f1.js'
import { yesNoPrecision } from './yes-no-precision.js'
import { yesNoRatio } from './yes-no-ratio.js'
import { yesNoRecall } from './yes-no-recall.js'

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
  rouge,
  cider,
  cocoBleu,
  cocoRougeL,
  meteor,
  anls,
  relaxedAccuracy,
  vqaAccuracy,
  iou,
  boxAccuracy,
  centerAccuracy,
  yesNo,
  yesNoPrecision,
  yesNoRecall,
  yesNoF1,
  yesNoRatio,
  mme,
  mmeAccPlus,
  wer,
  cer,
  mer,
  wil,
  wip,
]
