import { compileTemplate } from '../render/template.js'
import { messageOf } from '../../../base/errors.js'
import type { TaskConfig } from './schema.js'

/** The keys whose texts are columns or templates. */
export const templatedKeys = [
  'description',
  'doc_to_text',
  'gen_prefix',
  'doc_to_visual',
  'doc_to_audio',
  'doc_to_target',
  'doc_to_choice',
] as const

/** Which templates of a task can't be read, as `file:line:column  key: what`. */
export function compileTaskTemplates(config: TaskConfig, at: (path: readonly PropertyKey[]) => string): string[] {
  return templatedKeys.flatMap(key => {
    const value = config[key]
    const sources: readonly unknown[] = Array.isArray(value) ? value : [value]
    return sources.flatMap(source => {
      if (typeof source !== 'string') return []
      try {
        compileTemplate(source)
        return []
      } catch (error) {
        return [`${at([key])}  ${key}: ${messageOf(error)}`]
      }
    })
  })
}
