import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { isObject, type Json } from '../../../base/values/canonical-json.js'

/** Tells whether a YAML file is a configuration of evaluations: it names a model, models or runs, and is no task. */
export function isConfigFile(path: string): boolean {
  if (!/\.ya?ml$/.test(path)) return false
  try {
    const content = parse(readFileSync(path, 'utf8'), { logLevel: 'silent' }) as Json
    if (!isObject(content)) return false
    return ['model', 'models', 'runs', 'tasks', 'extends'].some(key => key in content) && !('dataset_path' in content)
  } catch {
    // Reading the file reports its mistakes.
    return false
  }
}
