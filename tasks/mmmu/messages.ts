import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { interleaved } from '../_shared/mmmu.js'
import { pictures, question } from './utils.js'

/** The prompt with each picture where it is named; in Qwen3-VL's format all pictures come first. */
export function messages(doc: Doc, kwargs: TaskKwargs): unknown {
  const prompt = question(doc, kwargs)
  if (kwargs['format'] !== 'qwen3_vl') return [{ role: 'user', content: interleaved(prompt, doc) }]
  const first = pictures(doc).map(image => ({ type: 'image', image }))
  return [{ role: 'user', content: [...first, { type: 'text', text: prompt }] }]
}
