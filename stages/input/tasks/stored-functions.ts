import type { Json } from '../../../base/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { functionText, isFunctionRef, type FunctionRef } from './function-ref.js'
import { moduleNameOf, type TaskCode } from './task-code.js'

/** Functions as they are kept with a run: as text in a configuration, with the code that each text stands for beside it. */
export interface StoredFunctions {
  /** `!function utils.name`, noted as being used. */
  readonly placed: (ref: FunctionRef) => string
  /** A value with its functions placed. */
  readonly plain: (value: unknown) => Json
  /** What was placed: `functions` by text, their `code`, and the closure of all code. Empty where nothing was. */
  readonly stored: () => JsonObject
}

export function storedFunctions(code: TaskCode, folder: string): StoredFunctions {
  const functions: Record<string, JsonObject> = {}
  const placed = (ref: FunctionRef): string => {
    const text = `!function ${functionText(ref)}`
    functions[text] = { function: functionText(ref), code: moduleNameOf(ref, folder) }
    return text
  }
  const plain = (value: unknown): Json => {
    if (isFunctionRef(value)) return placed(value)
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
    return value as Json
  }
  return {
    placed,
    plain,
    stored() {
      const needed = new Set(Object.values(functions).map(one => one['code']))
      if (needed.size === 0) return {}
      const sources = [...code.modules].flatMap(([name, { stored }]) => (needed.has(name) ? [[name, stored]] : []))
      return { functions, code: Object.fromEntries(sources) as JsonObject, closure: code.closure }
    },
  }
}
