import { option } from '../../base/errors/option-words.js'
import type { TokenRange } from '../../stages/model/budget/estimate.js'
import type { Price } from '../../stages/model/budget/price.js'
import type { Preview, TaskPreview } from './preview.js'
import type { LimitSettings } from '../config/limits.js'
import { formatQuantity, dollars, duration, formatCount } from '../../base/text/numbers.js'
import type { Sums } from './preview-sums.js'

/** Words the notes below a plan: the sources of its numbers, and warnings. */
export function previewNotes(
  preview: Preview,
  total: Sums,
  { isJudged, limits = {} }: { readonly isJudged: boolean; readonly limits?: LimitSettings },
): (readonly [string, string])[] {
  return [
    ...notes(preview, total),
    ...(isJudged ? judgeNotes(preview) : []),
    ...limitNotes(limits, { ...total, judgeCalls: isJudged ? judgeCalls(preview) : 0 }, preview.expectedMs).map(
      text => ['limit', text] as const,
    ),
  ]
}

function notes(preview: Preview, total: Sums): (readonly [string, string])[] {
  const { tasks, model, price, isBatch = false } = preview
  const open = tasks.filter(({ toAsk }) => toAsk > 0)
  if (open.length === 0) return [['time', 'nothing is left to ask']]
  return [
    ['input', inputNote(open)],
    ['output', outputNote(open)],
    ['cost', price === undefined ? formatUnpriced(model) : `${priceNote(price)}${isBatch ? ', in batches' : ''}`],
    ['time', timeNote(preview)],
    ...roundsNote(open),
    ...(total.broken > 0
      ? [['broken', `${formatQuantity(total.broken, 'request')} can’t be made of the docs`] as const]
      : []),
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
  const kinds = (['image', 'audio', 'video', 'file'] as const).flatMap(kind => {
    const count = tasks.reduce((sum, { media }) => sum + (media[kind] ?? 0), 0)
    if (count === 0) return []
    return [
      kind === 'image'
        ? imagesNote(count, tasks)
        : `${formatCount(count)} ${kind === 'file' ? 'PDF' : kind} of unknown length`,
    ]
  })
  const kindsText = kinds.length === 0 ? '' : ` and ${kinds.join(', ')}`
  const guessed = tasks.filter(({ isInputMeasured }) => !isInputMeasured)
  if (guessed.length === 0) return `from the text${kindsText}, corrected by stored answers to the same tasks`
  return `guessed from the text (3 to 5 bytes a token)${kindsText}; what the provider has cached is not taken off`
}

function imagesNote(count: number, tasks: readonly TaskPreview[]): string {
  const sized = tasks.reduce((sum, { sizedImages }) => sum + sizedImages, 0)
  const images = formatQuantity(count, 'image')
  if (sized === 0) return `${images} of unknown size`
  const how = 'by size, as the provider says it counts them'
  return sized === count ? `${images} ${how}` : `${images} (${formatCount(sized)} ${how})`
}

function outputNote(tasks: readonly TaskPreview[]): string {
  const measured = tasks.filter(({ medianOutput }) => medianOutput !== undefined)
  const medians = measured.map(({ task, medianOutput = 0 }) => `${task} ${formatCount(medianOutput)}`)
  const medianNote = `as in stored answers (median: ${medians.slice(0, 5).join(', ')}${medians.length > 5 ? ', …' : ''})`
  const unknown = 'at most what max_new_tokens allows: no answer is stored to tell'
  if (measured.length === tasks.length) return medianNote
  return measured.length === 0 ? unknown : `${medianNote}; for the other tasks ${unknown}`
}

const formatUnpriced = ({ backend, model }: Preview['model']): string =>
  `unknown: nobody has said what ${backend === model ? model : `${model} of ${backend}`} costs (${option('prices', 'FILE.yaml')})`

function priceNote({ input, output, date, source }: Price): string {
  const where = [source, date].filter(part => part !== undefined).join(', ')
  return `$${input} a million input tokens, $${output} output${where === '' ? '' : ` (${where})`}`
}

function judgeNotes({ tasks, judge }: Preview): (readonly [string, string])[] {
  const asking = tasks.filter(({ mayAskJudge }) => mayAskJudge)
  if (asking.length === 0) return []
  const names = asking.map(({ task, docs }) => `${task} (${formatQuantity(docs, 'doc')})`).join(', ')
  if (judge === undefined)
    return [
      [
        'judge',
        `may ask a judge model, and none is named (${option('judgeModel')}), beside the requests above: ${names}`,
      ],
    ]
  const calls = formatQuantity(judgeCalls({ tasks, judge }), 'call')
  return [
    ['judge', `about one call a doc of the judge model ${judge}, up to ${calls} beside the requests above: ${names}`],
  ]
}

/** Counts judge calls: at most one for each doc whose scoring may call the judge, including stored replies. */
export const judgeCalls = ({ tasks, judge }: Pick<Preview, 'tasks' | 'judge'>): number =>
  judge === undefined ? 0 : tasks.reduce((sum, { mayAskJudge, docs }) => sum + (mayAskJudge ? docs : 0), 0)

/** Limits that the plan will or may exceed. */
function limitNotes(
  { maxRequests, maxTokensTotal, maxCost, maxTime }: LimitSettings,
  { toAsk, judgeCalls: calls, input, output, cost }: Sums & { readonly judgeCalls: number },
  expectedMs: number | undefined,
): string[] {
  const tokens: TokenRange = { low: input.low + output.low, likely: 0, high: input.high + output.high }
  const verdict = (name: string, limit: number, { low, high }: Pick<TokenRange, 'low' | 'high'>): string[] => {
    if (high <= limit) return []
    return [`${name} ${low > limit ? 'is too little for that' : 'may be too little for that'}`]
  }
  return [
    ...(maxRequests === undefined
      ? []
      : verdict(option('maxRequests', formatCount(maxRequests)), maxRequests, { low: toAsk, high: toAsk + calls })),
    ...(maxTokensTotal === undefined
      ? []
      : verdict(option('maxTokensTotal', formatCount(maxTokensTotal)), maxTokensTotal, tokens)),
    ...(maxCost === undefined || cost === undefined ? [] : verdict(option('maxCost', dollars(maxCost)), maxCost, cost)),
    ...(maxTime === undefined || expectedMs === undefined
      ? []
      : verdict(option('maxTime', duration(maxTime)), maxTime, { low: expectedMs, high: expectedMs })),
  ]
}
