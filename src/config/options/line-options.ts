import { option } from '../option.js'
import { text, texts, whole, yesNo } from '../values/option-values.js'
import { seedIn, seedValue } from '../values/seed.js'

/** Options that are no settings of an evaluation: where results are written. */
export const lineOptions = {
  outputPath: option({
    flag: '-o, --output-path <dir>',
    help: 'write results.json and throughput.svg there, in a folder named like the run',
    ...text('a folder'),
    isPath: true,
    isIdentity: false,
    stored: 'no',
  }),
  logSamples: option({
    flag: '--log-samples',
    help: 'with --output-path: write each doc with prompt, answer and score, too',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
  /** The run, exported file or results JSON that scores are compared with. */
  baseline: option({
    flag: '--baseline <run-or-file>',
    help: 'show each score beside that of a run, an exported file, or results JSON (also of lmms-eval, lm-eval)',
    ...text('a run, an exported file or a file of results'),
    isIdentity: false,
    stored: 'no',
  }),
  gate: option({
    flag: '--gate <condition>',
    help: "exit with 4 unless it holds: 'mme.score >= 1500', 'mmmu_val.acc >= baseline - 0.01', '*.acc not worse'; may be repeated",
    ...texts('a condition on a score, such as "mme.score >= 1500", or a list of them'),
    isIdentity: false,
    stored: 'no',
  }),
}

/** Other names that lmms-eval has for options. */
export const lmmsOptions = {
  predictOnly: option({
    flag: '-x, --predict-only',
    help: 'store the answers without scoring them, as pipeline infer does',
    docs: 'store the answers without scoring them, as `pipeline infer` does',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
  maxTokens: option({
    flag: '--max-tokens <n>',
    help: 'the same as --max-tokens-total; the length of an answer is --gen-kwargs max_new_tokens=…',
    docs: 'the same as `--max-tokens-total`; the length of an answer is `--gen-kwargs max_new_tokens=…`',
    ...whole(0),
    isIdentity: false,
    stored: 'no',
  }),
  seed: option({
    flag: '--seed <numbers>',
    help: 'one number, or up to four with commas between: the fourth sets --fewshot-seed, the others have no effect',
    docs: 'one number, or up to four with commas between: the fourth sets `--fewshot-seed`, the others have no effect',
    read: seedIn,
    file: seedValue,
    isIdentity: false,
    stored: 'no',
  }),
}
