// Writes docs/parity.md from the golden rows whose value differs from lmms-eval's. With --check it writes nothing, and fails if the page is out of
// date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const golden = join(root, 'tests', 'golden')
const page = join(root, 'docs', 'parity.md')

/**
 * The places that `--parity lmms-eval` switches: file, function and a word of the reason. `tests/stages/judge/define/parity.test.ts` checks each
 * against the rows.
 */
const switches = [
  { file: 'lmms_framework', fn: 'task.multiple_choice', by: '`acc`, `acc_norm`, `acc_bytes`' },
  { file: 'lmms_framework', fn: 'aggregation', by: '`median`' },
  { file: 'lmms_pope_mme', fn: 'mme.parse_pred_ans', by: '`mme` always reads so (`read: prefix`)' },
  { file: 'lmms_pope_mme', fn: 'pope', by: '`yes_no` and its rates' },
  { file: 'lmms_text_metrics', fn: 'chartqa.relaxed_correctness', by: '`relaxed_accuracy`' },
  { file: 'lmms_option_matching', fn: 'mmbench.can_infer_text', by: "MMBench's tasks" },
  { file: 'lmms_option_matching', fn: 'mmbench.can_infer', by: "MMBench's tasks" },
  { file: 'lmms_mmmu', fn: 'mmmu.parse_multi_choice_response', by: "MMMU's and MMMU-Pro's tasks" },
  { file: 'lmms_mmmu', fn: 'mmmu.process_results(open, HEAD)', by: "MMMU's tasks" },
  { file: 'lmms_bbox', fn: 'refcoco_rec.corpus', by: '`center_accuracy`' },
]

/** The right values for a row that is itself wrong: four of its eight answers are right by their own rows. */
const corrected = new Map([['mvbench/mvbench_action_antonym/agg/none/12', { mvbench_accuracy: 50 }]])

/** Benchmarks whose own script differs from lmms-eval. Ours follows the script, and `tests/tasks/pope.test.ts` checks it against these rows. */
const asScript = new Set(['pope'])

const rowsOf = folder =>
  readdirSync(join(golden, folder))
    .filter(name => /\.jsonl(\.gz)?$/.test(name))
    .sort()
    .flatMap(name => {
      const bytes = readFileSync(join(golden, folder, name))
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
      const lines = text.split('\n').filter(line => line !== '')
      return lines.map(line => {
        const row = JSON.parse(line)
        const file = basename(name).replace(/\.jsonl(\.gz)?$/, '')
        const right = corrected.get(row.id)
        if (right !== undefined) return { file, ...row, right }
        if (!asScript.has(file) || row.official === undefined) return { file, ...row }
        return { file, ...row, lmms_eval_flaw: true, right: row.official, official: undefined }
      })
    })

const functionOf = row =>
  (row.fn ?? `${row.file}, ${row.kind === 'aggregate' ? 'aggregate' : 'one answer'}`).replace('lmms_eval.', '')
const reasonOf = row => row.why ?? row.reason ?? row.alt_why ?? ''

const groupBy = (rows, keyOf) => {
  const groups = new Map()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

/** Formats a value for a table cell. */
function cell(value, longest = 70) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const visible = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('`', '´')
  const points = Array.from(visible)
  const short = points.length > longest ? `${points.slice(0, longest - 1).join('')}…` : visible
  return short === '' ? '' : `\`${short.replaceAll('|', '¦')}\``
}

/** Returns the fields that differ between two objects, or the whole value of anything else. */
function difference(theirs, ours) {
  const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(theirs) || !isObject(ours)) return [theirs, ours]
  const names = Object.keys(ours).filter(
    name => name in theirs && JSON.stringify(theirs[name]) !== JSON.stringify(ours[name]),
  )
  if (names.length === 0) return [theirs, ours]
  const of = object =>
    names.length === 1 ? object[names[0]] : Object.fromEntries(names.map(name => [name, object[name]]))
  return [of(theirs), of(ours)]
}

/** Returns the values of a benchmark's row: after its first filter, or for all docs. */
function valuesOf(row) {
  if (row.kind === 'aggregate')
    return Object.fromEntries(
      Object.entries(row.expected).map(([name, { value }]) => [name, value?.error?.type ?? value]),
    )
  if (row.kind !== 'score') return row.expected
  const [first] = Object.values(row.expected)
  const result = first?.result ?? {}
  const inner = Object.values(result).find(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
  )
  return inner ?? result
}

const inputOf = row => {
  if (row.kind === 'aggregate') return `${row.score_rows?.length ?? Object.values(row.expected)[0]?.n ?? ''} answers`
  return row.kind === 'score'
    ? (row.judge_reply ?? row.responses?.[0] ?? '')
    : (row.input?.response ?? row.input?.prediction ?? row.input)
}

function example(rows, other) {
  const row = rows.find(one => JSON.stringify(inputOf(one)).length < 120) ?? rows[0]
  const [theirs, ours] = difference(valuesOf(row), row[other])
  return [cell(inputOf(row)), cell(theirs, 50), cell(ours, 50)]
}

/** Benchmarks whose golden rows are also tested with the flag. */
const switchedTasks = new Set(
  readdirSync(join(root, 'tests', 'tasks')).flatMap(name => {
    const text = readFileSync(join(root, 'tests', 'tasks', name), 'utf8')
    return Array.from(text.matchAll(/testGoldenTask\('(\w+)',[^;]*?parity: 'lmms-eval'/g), match => match[1])
  }),
)

function flagOf({ file, fn }) {
  if (fn === undefined) return switchedTasks.has(file) ? 'the task' : undefined
  return switches.find(one => one.file === file && `lmms_eval.${one.fn}` === fn)?.by
}

const table = (head, lines) => [head, head.map(() => '---'), ...lines].map(line => `| ${line.join(' | ')} |`).join('\n')
const sentence = text => {
  const plain = text
    .replaceAll('|', '¦')
    .replace(/[;:]?\s*keep `expected` for.*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

function differences(rows, other, withFlag) {
  const groups = groupBy(rows, row => JSON.stringify([functionOf(row), reasonOf(row)]))
  const lines = [...groups.values()].map(group => {
    const [first] = group
    const flag = flagOf(first)
    return [
      `\`${functionOf(first)}\``,
      sentence(reasonOf(first)),
      String(group.length),
      ...example(group, other),
      ...(withFlag ? [flag === undefined ? 'no' : `yes: ${flag}`] : []),
    ]
  })
  return lines.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
}

const counted = rows =>
  [...groupBy(rows, row => row.file)].map(([file, group]) => `\`${file}\` ${group.length}`).join(', ')

function write() {
  const rows = [...rowsOf('metrics'), ...rowsOf('tasks')]
  const flaws = rows.filter(row => row.lmms_eval_flaw === true && row.right !== undefined)
  const official = rows.filter(row => row.official_differs === true && row.official !== undefined)
  const chance = rows.filter(row => row.random_fallback === true || row.expected?.random === true)
  const unstable = rows.filter(row => row.unstable === true)
  const second = rows.filter(row => row.alt !== undefined)
  const head = ['function or task', 'reason', 'rows', 'example', 'lmms-eval']
  return `<!-- Written by node scripts/parity.mjs. Change that, or the golden rows, not this. -->

# Parity with lmms-eval

This program computes the scores of lmms-eval 0.7.2 (commit 75571cfe). Where lmms-eval's value is wrong by the benchmark's own
definition, this program computes the right value. The tests compare this program with the golden rows in \`tests/golden/\`, and
each difference below comes from them. The column "rows" counts the golden rows that show a difference, and the example is one of them.

## What \`--parity lmms-eval\` switches

Published numbers may contain a wrong value. To compare with them, \`pipeline eval … --parity lmms-eval\` and
\`pipeline judge RUN --parity lmms-eval\` reproduce it. The flag is part of a score's key. So the right scores stay in the store,
and judging without the flag uses them again. Keys of a task that differ with the flag stand under [\`parity\`](tasks/keys.md#differences-from-another-program)
in its file. They say which docs are evaluated and what is asked, so that \`pipeline judge RUN --parity lmms-eval\` can't change them afterwards.

${table(
  ['subject', 'with the flag', 'without it'],
  [
    [
      '`acc`, `acc_norm`, `acc_bytes`, `f1`, `mcc` of choices',
      'the choice with the smallest log-likelihood wins, as if log-likelihoods were losses',
      'the choice with the largest log-likelihood wins',
    ],
    [
      'filters and reasoning',
      'filters see the reasoning, which is removed from their results',
      'the reasoning is removed before the filters',
    ],
    ['`exact_match`', 'only the answer is trimmed', 'answer and target are trimmed'],
    [
      '`yes_no` and its rates',
      'the whole answer must be yes or no; recall leaves out other answers; the yes ratio counts targets',
      'yes or no must occur as a word; another answer is a miss; the yes ratio counts answers',
    ],
    [
      '`relaxed_accuracy`',
      'a target of 0 is compared as a text, and an infinite target equals no answer',
      'each target is compared as a number and as a text',
    ],
    [
      '`center_accuracy`',
      'an answer without a box counts as the point at the origin',
      'such an answer is unparsed, and counts 0',
    ],
    ['`iou`, `box_accuracy`, `center_accuracy`', '`[1 , 2, 3, 4]` is not a box', 'spaces before commas are ignored'],
    ['`median`', 'the value at the middle of the unsorted list', 'the middle value'],
    ['`bypass`', '999', 'no value'],
    [
      'the letter of BLINK, CV-Bench, SEED-Bench, SEED-Bench-2-Plus, LongVideoBench and V*Bench',
      'the first letter of an option counts, even within a word: "Answer: B" is read as A',
      '`option_letter` reads the option that the answer names',
    ],
    [
      'replies of a judge model',
      "the whole text is read, including the judge's reasoning, even if it was cut off",
      'the reasoning is removed; a reply that was cut off is `judge_failed`',
    ],
    [
      '`egoschema_mcppl`, `egoschema_subset_mcppl` and `perceptiontest_*_mcppl`',
      'the option with the smallest log-likelihood wins',
      'the likeliest option wins',
    ],
    [
      "times of a video's frames in prompts",
      'the index divided by the average frame rate (`frame_times=rate`)',
      'the time in the file (`frame_times=pts`)',
    ],
    [
      '`mmlu_flan_cot_zeroshot_*` (57 tasks)',
      'the split `validation` is evaluated, because lmms-eval names no test split there',
      'the split `test`',
    ],
    [
      "a task's own functions",
      '`process_results` receives `parity`, and aggregation functions receive `{parity}`',
      'they receive nothing',
    ],
  ],
)}

## What the flag does not switch

- **Chance.** lmms-eval draws an option at random if it can read none. ${chance.length} golden rows depend on such a draw (${counted(chance)}). This program marks such an
  answer as unparsed, and counts it within n as the benchmark defines. ${unstable.length} further rows depend on Python's hash seed or on the state of a module (${counted(unstable)}).
- **Crashes.** If lmms-eval crashes on an answer, this program computes a value.
- **Differences with "no"** in the column "switched" of the next table.
- **Odd replies of judge models.** ActivityNet-QA asks the judge for a dictionary of \`pred\` (yes or no) and \`score\` (a number). lmms-eval also accepts
  \`maybe\` with a score, and \`True\` or \`0x3\` as a score. This program scores such a reply as \`judge_failed\`. A judge that does not answer is \`judge_failed\`, too; it ends an evaluation of lmms-eval.
  In AIR-Bench's chat, lmms-eval also replaces its own placeholders (\`XAssistant1X\`) within questions and answers. This program shows these texts to the judge unchanged.
- **Examples before a question.** \`gsm8k_cot\`, \`gsm8k_cot_llama\` and \`gsm8k_cot_self_consistency\` define eight problems with reasoning (\`fewshot_config.samples\`), and
  \`mmlu_pro_*\` words its examples with the column \`cot_content\` (\`fewshot_config.doc_to_target\`). This program shows these examples. lmms-eval takes examples from the split
  (\`train\`, \`validation\`) and shows their target without reasoning, so that its prompts and scores differ.
- **Subtitles.** \`videomme_w_subtitle\` and \`videomme_long_w_subtitle\` send all subtitles of a video in their order. lmms-eval sends those at the times of 32 frames (768 for some models), each once,
  in the order of a Python set. With its backend \`gemini_api\` it sends all of them, too.
- **Orders that are drawn.** The options of \`gpqa_*\` and the options that \`lvbench_random_choice\` draws come from a generator with a fixed seed. lmms-eval has one only for \`gpqa_*_n_shot\` without
  \`cot\` and \`generative\`. Its other tasks of GPQA draw from the process-wide generator once model and earlier tasks have drawn from it, and the cache of the machine keeps the first order. Its
  \`*_random_choice\` seeds by Python's hash of a text, which differs between processes. So no number of a run says which prompts it had.
- **Texts of options.** \`egoschema_mcppl\` and its subset compare whole options. lmms-eval cuts them at their second dot.

## Where lmms-eval is wrong

${flaws.length} golden rows show a wrong value of lmms-eval.

${table([...head, 'right', 'switched'], differences(flaws, 'right', true))}

## Where lmms-eval reads answers better than the benchmark's own script

In ${official.length} golden rows, this program computes lmms-eval's value. POPE is not among them, because this program follows POPE's own script (see above).
One more rule follows the script of Video-MME. If several letters have the same form, the first counts: \`(A) (B)\` is A. It is B in lmms-eval and with the flag.

${table([...head, 'the official script'], differences(official, 'official', false))}

## Where two definitions are published

In ${second.length} golden rows, the paper and the public evaluation script define ANLS differently. This program follows the script, as lmms-eval does.
The helper \`anlsOfCompared\` computes the value of the paper.

${table([...head, 'the paper'], differences(second, 'alt', false))}
`
}

const text = write()
if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') !== text) {
    process.stderr.write('docs/parity.md is not what the golden rows say: run node scripts/parity.mjs\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(page, text)
}
