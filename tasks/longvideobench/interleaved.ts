/** The questions of LongVideoBench for models that see pictures: moments of the video in their order, with what is said between them. */
import type { DatasetAccess, Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { mediaPath } from '../_shared/values.js'
import { text } from '../_shared/options.js'
import { number } from '../_shared/values.js'
import { questionWithOptions, video } from './utils.js'

const mostMoments = 16
/** Seconds: of a video with five frames a second or more a moment shows one. */
const momentLength = 0.2
const mark = '<image>'

/** The docs with what is said in their videos. */
export async function* withSubtitles(docs: DocList, { read }: DatasetAccess): AsyncGenerator<Doc> {
  for await (const doc of docs) {
    const path = mediaPath('subtitles', doc['subtitle_path'], 'subtitle_path')
    yield { ...doc, subtitles: JSON.parse(new TextDecoder().decode(await read(path))) as unknown }
  }
}

/** When the moments are, in seconds: sixteen over the whole, of a shorter video one a second. */
export function momentsOf(duration: number): readonly number[] {
  const count = duration > mostMoments ? mostMoments : Math.floor(duration)
  return Array.from({ length: count }, (_, index) =>
    duration > mostMoments ? (duration / mostMoments) * index : index,
  )
}

interface Subtitle {
  readonly start: number
  readonly end: number
  readonly said: string
}

/**
 * A mark for each moment and the subtitles that hold one, a line each, in the order of the video. Each subtitle stands behind the moments up to
 * its middle.
 */
export function markedSubtitles(doc: Doc): string {
  const moments = momentsOf(number(doc['duration'], 'duration'))
  const lines: string[] = []
  let shown = 0
  for (const { start, end, said } of readSubtitles(doc)) {
    const middle = (start + end) / 2
    const before = moments.slice(shown).findIndex(moment => moment > middle)
    const passed = before < 0 ? moments.length - shown : before
    lines.push(...Array<string>(passed).fill(mark))
    shown += passed
    const [from, to] = end - start < 1 ? [middle - 0.5, middle + 0.5] : [start, end]
    if (moments.some(moment => from < moment && moment < to)) lines.push(said)
  }
  return [...lines, ...Array<string>(moments.length - shown).fill(mark)].join('\n')
}

/** Some videos have times as texts from the beginning of a longer video, others as numbers, and an open end. */
function readSubtitles(doc: Doc): readonly Subtitle[] {
  const offset = number(doc['starting_timestamp_for_subtitles'], 'starting_timestamp_for_subtitles')
  const duration = number(doc['duration'], 'duration')
  if (!Array.isArray(doc['subtitles'])) throw new Error('the subtitles must be a list')
  return doc['subtitles'].map((one: Readonly<Record<string, unknown>>) => {
    const { timestamp } = one
    const [start, end] = Array.isArray(timestamp)
      ? [number(timestamp[0], 'timestamp'), typeof timestamp[1] === 'number' ? timestamp[1] : duration]
      : [parseSeconds(text(one['start'], 'start')), parseSeconds(text(one['end'], 'end'))]
    const said = Array.isArray(timestamp) ? text(one['text'], 'text') : text(one['line'], 'line')
    return { start: start - offset, end: end - offset, said }
  })
}

/** `00:01:02.5` is 62.5. */
function parseSeconds(time: string): number {
  const [hours = NaN, minutes = NaN, seconds = NaN] = time.split(':').map(Number)
  const total = hours * 3600 + minutes * 60 + seconds
  if (Number.isNaN(total)) throw new Error(`${JSON.stringify(time)} is no time of the form 00:01:02.5`)
  return total
}

/** The marks and subtitles, then the question. */
export function markedQuestion(doc: Doc, kwargs: TaskKwargs): string {
  const { pre_prompt, ...others } = kwargs
  return `${text(pre_prompt ?? '', 'pre_prompt')}${markedSubtitles(doc)}\n${questionWithOptions(doc, others)}`
}

/** Makes the same question, with clips of the video in place of the marks. */
export function messages(doc: Doc, kwargs: TaskKwargs): unknown {
  const [shown] = video(doc)
  const moments = momentsOf(number(doc['duration'], 'duration'))
  const content = markedQuestion(doc, kwargs)
    .split(mark)
    .flatMap((said, index) => {
      const moment = moments[index - 1]
      const clip =
        moment === undefined
          ? []
          : [{ type: 'video', video: shown, start_time: moment, end_time: moment + momentLength }]
      const words = said.replace(/^\n|\n$/g, '')
      return [...clip, ...(words === '' ? [] : [{ type: 'text', text: words }])]
    })
  return [{ role: 'user', content }]
}
