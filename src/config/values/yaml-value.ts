import { parse } from 'yaml'
import type { Json } from '../../../base/values/canonical-json.js'

/** Reads a value on a command line as YAML. A text that is no YAML, such as a template that begins with braces, stays a text. */
export function readYamlValue(text: string): Json {
  if (text.startsWith('{{') || text.startsWith('{%')) return text
  try {
    return (parse(text, { logLevel: 'error' }) ?? null) as Json
  } catch {
    return text
  }
}
