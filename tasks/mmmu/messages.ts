import { stripWhiteSpace } from '../../base/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { pictureIn } from '../_shared/mmmu.js'
import { pictures, question } from './utils.js'

/** The prompt with each picture where it is named; in Qwen3-VL's format all pictures come first. */
export function messages(doc: Doc, kwargs: TaskKwargs): unknown {
  const prompt = question(doc, kwargs)
  const words = (text: string): unknown => ({ type: 'text', text })
  const shown = (image: unknown): unknown => ({ type: 'image', image })
  const content =
    kwargs['format'] === 'qwen3_vl'
      ? [...pictures(doc).map(shown), words(prompt)]
      : // Split by a group, every second piece is the number of a picture.
        prompt.split(/<image ([1-7])>/).flatMap((piece, at) => {
          if (at % 2 === 1) return [shown(pictureIn(doc, `image_${piece}`))]
          const text = stripWhiteSpace(piece)
          return text === '' ? [] : [words(text)]
        })
  return [{ role: 'user', content }]
}
