import type { TokenRange } from '../../stages/model/budget/estimate.js'
import type { Price } from '../../stages/model/budget/price.js'
import type { Preview, TaskPreview } from '../preview.js'
import { counted, dollars, duration, grouped } from './numbers.js'
import type { Paint } from './paint.js'
import { indented, pairs, table, type Column } from './table.js'

type Sums = Pick<
  TaskPreview,
  'docs' | 'requests' | 'inStore' | 'shared' | 'failed' | 'broken' | 'toAsk' | 'input' | 'output' | 'cost'
>

/** What an evaluation would do: a line a task, and what the numbers were taken from. */
export function previewLines(preview: Preview, { isJudged }: { readonly isJudged: boolean }, paint: Paint): string[] {
  const { run, model, tasks } = preview
  const total = sumOf(tasks)
  const rows = [
    ...tasks.map(task => [task.task, ...cells(task, total)]),
    ...(tasks.length > 1 ? [['all', ...cells(total, total)]] : []),
  ]
  return [
    `plan of run ${run.name} (${run.isNew ? 'new' : 'in the store'}): nothing was sent, and the store is as it was`,
    ...indented(pairs([['model', `${model.backend} ${model.model}`]], paint)),
    '',
    ...indented(table([{ title: 'task' }, ...columns(total)], rows, paint)),
    '',
    ...indented(pairs([...notes(preview, total), ...(isJudged ? judgeNotes(preview) : [])], paint)),
  ]
}

/** Columns of what there is none of are left out. */
function columns(total: Sums): readonly Column[] {
  const titles = [
    'docs',
    'requests',
    'in store',
    ...(total.shared > 0 ? ['same request'] : []),
    ...(total.failed > 0 ? ['failed for good'] : []),
    ...(total.broken > 0 ? ['can’t be made'] : []),
    'to ask',
    'input tokens',
    'output tokens',
    'cost',
  ]
  return titles.map(title => ({ title, align: 'right' }))
}

const cells = (sums: Sums, total: Sums): readonly string[] => [
  grouped(sums.docs),
  grouped(sums.requests),
  grouped(sums.inStore),
  ...(total.shared > 0 ? [grouped(sums.shared)] : []),
  ...(total.failed > 0 ? [grouped(sums.failed)] : []),
  ...(total.broken > 0 ? [grouped(sums.broken)] : []),
  grouped(sums.toAsk),
  between(sums.input, grouped),
  between(sums.output, grouped),
  sums.cost === undefined ? '–' : between(sums.cost, dollars),
]

/** `1,200 – 1,900`; `at most 50,000` where nothing else is known. */
function between({ low, high }: TokenRange, say: (value: number) => string): string {
  if (high === 0) return say(0)
  if (low === 0) return `at most ${say(high)}`
  return say(low) === say(high) ? say(high) : `${say(low)} – ${say(high)}`
}

function notes(preview: Preview, total: Sums): (readonly [string, string])[] {
  const { tasks, model, price, isBatch = false } = preview
  const open = tasks.filter(({ toAsk }) => toAsk > 0)
  if (open.length === 0) return [['time', 'nothing is left to ask']]
  return [
    ['input', inputNote(open)],
    ['output', outputNote(open)],
    ['cost', price === undefined ? unpriced(model) : `${priceNote(price)}${isBatch ? ', in batches' : ''}`],
    ['time', timeNote(preview)],
    ...roundsNote(open),
    ...(total.broken > 0 ? [['broken', `${counted(total.broken, 'request')} can’t be made of the docs`] as const] : []),
  ]
}

function timeNote({ expectedMs, isBatch = false }: Preview): string {
  if (isBatch) return 'within a day, as the provider says of its batches'
  if (expectedMs === undefined) return 'unknown: no stored answer tells how long one takes'
  return `about ${duration(expectedMs)}, as fast as stored answers came`
}

function roundsNote(tasks: readonly TaskPreview[]): (readonly [string, string])[] {
  const names = tasks.filter(({ hasRounds }) => hasRounds).map(({ task }) => task)
  const note = `only first rounds are counted, further ones come on top: ${names.join(', ')}`
  return names.length === 0 ? [] : [['rounds', note]]
}

function inputNote(tasks: readonly TaskPreview[]): string {
  const kinds = (['image', 'audio', 'video'] as const).flatMap(kind => {
    const count = tasks.reduce((sum, { media }) => sum + (media[kind] ?? 0), 0)
    return count === 0 ? [] : [`${grouped(count)} ${kind === 'image' ? (count === 1 ? 'image' : 'images') : kind}`]
  })
  const shown = kinds.length === 0 ? '' : ` and ${kinds.join(', ')} of unknown size`
  const guessed = tasks.filter(({ isInputMeasured }) => !isInputMeasured)
  if (guessed.length === 0) return `from the text${shown}, corrected by stored answers to the same tasks`
  return `guessed from the text (3 to 5 bytes a token)${shown}; what the provider has cached is not taken off`
}

function outputNote(tasks: readonly TaskPreview[]): string {
  const measured = tasks.filter(({ medianOutput }) => medianOutput !== undefined)
  const medians = measured.map(({ task, medianOutput = 0 }) => `${task} ${grouped(medianOutput)}`)
  const known = `as in stored answers (median: ${medians.slice(0, 5).join(', ')}${medians.length > 5 ? ', …' : ''})`
  const unknown = 'at most what max_new_tokens allows: no answer is stored to tell'
  if (measured.length === tasks.length) return known
  return measured.length === 0 ? unknown : `${known}; for the other tasks ${unknown}`
}

const unpriced = ({ backend, model }: Preview['model']): string =>
  `unknown: nobody has said what ${model} of ${backend} costs (--prices FILE.yaml)`

function priceNote({ input, output, date, source }: Price): string {
  const where = [source, date].filter(part => part !== undefined).join(', ')
  return `$${input} a million input tokens, $${output} output${where === '' ? '' : ` (${where})`}`
}

function judgeNotes({ tasks, judge }: Preview): (readonly [string, string])[] {
  const asking = tasks.filter(({ mayAskJudge }) => mayAskJudge)
  if (asking.length === 0) return []
  const names = asking.map(({ task, docs }) => `${task} (${counted(docs, 'doc')})`).join(', ')
  const who = judge === undefined ? 'a judge model, and none is named (--judge-model)' : `the judge model ${judge}`
  return [['judge', `may ask ${who}, beside the requests above: ${names}`]]
}

function sumOf(tasks: readonly TaskPreview[]): Sums {
  const add = (a: TokenRange, b: TokenRange): TokenRange => ({
    low: a.low + b.low,
    likely: a.likely + b.likely,
    high: a.high + b.high,
  })
  const nothing: TokenRange = { low: 0, likely: 0, high: 0 }
  const total = (pick: (task: TaskPreview) => number): number => tasks.reduce((sum, task) => sum + pick(task), 0)
  const costs = tasks.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
  return {
    docs: total(task => task.docs),
    requests: total(task => task.requests),
    inStore: total(task => task.inStore),
    shared: total(task => task.shared),
    failed: total(task => task.failed),
    broken: total(task => task.broken),
    toAsk: total(task => task.toAsk),
    input: tasks.map(({ input }) => input).reduce(add, nothing),
    output: tasks.map(({ output }) => output).reduce(add, nothing),
    ...(costs.length < tasks.length ? {} : { cost: costs.reduce(add, nothing) }),
  }
}

/** The same for programs. Tokens and dollars as `{low, likely, high}`. */
export function previewJson({ run, model, tasks, price, expectedMs, judge }: Preview): object {
  const total = sumOf(tasks)
  return {
    format: 1,
    run: { id: run.id, name: run.name, is_new: run.isNew },
    model: { ...model, ...(price && { price }) },
    tasks: Object.fromEntries(
      tasks.map(task => [
        task.task,
        {
          ...numbers(task),
          input_measured: task.isInputMeasured,
          ...(task.medianOutput === undefined ? {} : { median_output_tokens: task.medianOutput }),
          media: task.media,
          may_ask_judge: task.mayAskJudge,
          has_rounds: task.hasRounds,
        },
      ]),
    ),
    total: { ...numbers(total), ...(expectedMs === undefined ? {} : { seconds: expectedMs / 1000 }) },
    ...(judge === undefined ? {} : { judge }),
  }
}

const numbers = ({ docs, requests, inStore, shared, failed, broken, toAsk, input, output, cost }: Sums) => ({
  docs,
  requests,
  in_store: inStore,
  shared,
  failed_for_good: failed,
  broken,
  to_ask: toAsk,
  input_tokens: input,
  output_tokens: output,
  ...(cost === undefined ? {} : { cost_usd: cost }),
})
