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
  { file: 'lmms_pope_mme', fn: 'mme.parse_pred_ans', by: '`mme` reads so anyway (`read: prefix`)' },
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
  const head = ['where', 'why', 'rows', 'of', 'lmms-eval']
  return `<!-- Written by node scripts/parity.mjs. Change that, or the golden rows, not this. -->

# Parity with lmms-eval

Scores here are those of lmms-eval 0.7.2 (commit 75571cfe), unless its value is wrong by the benchmark's own definition: then
ours is the right one. Each difference below comes from the golden rows in \`tests/golden/\`, which the tests hold ours against;
"rows" is how many of them show it, and the example is one.

## What \`--parity lmms-eval\` switches

For comparison with published numbers, \`pipeline eval … --parity lmms-eval\` and \`pipeline judge RUN --parity lmms-eval\` give the
wrong value, too. It is part of what scores are known by: the right ones stay, and judging without the flag takes them from the
store.

${table(
  ['what', 'with the flag', 'without'],
  [
    [
      '`acc`, `acc_norm`, `acc_bytes`, `f1`, `mcc` of choices',
      'the least value wins, as if log-likelihoods were losses',
      'the largest log-likelihood wins',
    ],
    [
      'filters and reasoning',
      'filters see the reasoning; it is cut out of what they leave',
      'reasoning is cut out first',
    ],
    ['`exact_match`', 'the answer alone is trimmed', 'answer and target are trimmed'],
    [
      '`yes_no` and its rates',
      'an answer is yes or no and nothing else; recall leaves out what is neither; the yes ratio is of the targets',
      'yes or no as a word of its own; what is neither is a miss; the yes ratio is of the answers',
    ],
    [
      '`relaxed_accuracy`',
      'a target of 0 is compared as a text, and an infinite one equals nothing',
      'as a number, and as a text',
    ],
    ['`center_accuracy`', 'an answer without a box is the point at the origin', 'it is unparsed, and counts 0'],
    ['`iou`, `box_accuracy`, `center_accuracy`', '`[1 , 2, 3, 4]` is no box', 'spaces before the commas do not matter'],
    ['`median`', 'the list is not sorted', 'the middle value'],
    ['`bypass`', '999', 'no value'],
    [
      'the letter of BLINK, CV-Bench, SEED-Bench, SEED-Bench-2-Plus, LongVideoBench and V*Bench',
      'the first letter from A on counts, within a word too: "Answer: B" is A',
      'the option that the answer names, as `option_letter` reads it',
    ],
    [
      'replies of a judge model',
      "the whole text is read, with the judge's reasoning, also if it was cut off",
      'reasoning is removed; a reply that was cut off is `judge_failed`',
    ],
    [
      "times of a video's frames in prompts",
      'index ÷ average frame rate (`frame_times=rate`)',
      'as the file says (`frame_times=pts`)',
    ],
    ["a task's own functions", '`process_results` gets `parity`, aggregation functions `{parity}`', 'nothing'],
  ],
)}

## What it can't switch

A random draw, the order of a Python set and what a module remembers of the call before are no rules. ${chance.length} golden rows
are decided by chance there, where no option could be read (${counted(chance)}): here such an answer is unparsed and counts as the
benchmark says, within n. ${unstable.length} rows depend on the hash seed or on module state (${counted(unstable)}). What crashes there
has a value here. Nor does it switch the differences with "no" in the table below.

Nor what is read out of odd replies of judge models. ActivityNet-QA's judge is asked for a dictionary of \`pred\`, yes or no, and a number
\`score\`: what else lmms-eval takes (\`maybe\` with its score, \`True\` or \`0x3\` as a score) is \`judge_failed\` here, as a judge that does not answer
is; there that ends the evaluation. In AIR-Bench's chat, lmms-eval also replaces its own placeholders (\`XAssistant1X\`) where a question or an answer
holds them; here such a text is shown to the judge as it is.

Nor which examples stand before a question. \`gsm8k_cot\`, \`gsm8k_cot_llama\` and \`gsm8k_cot_self_consistency\` bring eight problems with their
reasoning (\`fewshot_config.samples\`), and \`mmlu_pro_*\` words its examples with the column \`cot_content\` (\`fewshot_config.doc_to_target\`): these
are shown here. lmms-eval takes examples from the split (\`train\`, \`validation\`) and shows their bare target, without reasoning, so that its
prompts, and its scores, are others.

## Where lmms-eval is wrong

${flaws.length} golden rows.

${table([...head, 'right', 'switched'], differences(flaws, 'right', true))}

## Where lmms-eval and the benchmark's own script differ, and it reads better

${official.length} golden rows; ours is lmms-eval's value. POPE is not among them: ours is its own script's reading, above. Video-MME has
one more rule in which ours is its script's: of several letters with an equal sign the first holds (\`(A) (B)\` is A, and B for lmms-eval and with
the flag).

${table([...head, 'the official script'], differences(official, 'official', false))}

## Where two definitions are published

${second.length} golden rows of ANLS: ours follows the public evaluation script, as lmms-eval does. The helper \`anlsOfCompared\` gives the
paper's.

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
