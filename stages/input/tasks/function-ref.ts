const mark: unique symbol = Symbol('function reference')

/** `!function utils.name` in a YAML file. */
export interface FunctionRef {
  readonly [mark]: true
  /** `utils`; `a.b` is the file `a/b.ts`. */
  readonly module: string
  readonly name: string
  /** The YAML file that contains the reference. The module is searched in its folder. */
  readonly file: string
  /** The file of the module itself, where that is known. */
  readonly path?: string
}

/** Parses `utils.name`; `undefined` where the text has another form. */
export function parseFunctionRef(text: string, file: string): FunctionRef | undefined {
  const match = /^([\w.-]+)\.(\w+)$/.exec(text.trim())
  const [, module, name] = match ?? []
  return module === undefined || name === undefined ? undefined : { [mark]: true, module, name, file }
}

/** A reference to a function of a task that is written in code. */
export const makeFunctionRef = (ref: Omit<FunctionRef, typeof mark>): FunctionRef => ({ [mark]: true, ...ref })

export const isFunctionRef = (value: unknown): value is FunctionRef =>
  typeof value === 'object' && value !== null && mark in value

/** Returns the reference as the YAML file spells it. */
export const functionText = (ref: FunctionRef): string => `${ref.module}.${ref.name}`

/** A reference with its position in the YAML. */
export interface PlacedRef {
  readonly ref: FunctionRef
  readonly path: readonly PropertyKey[]
}

/** Finds all references within a value. */
export function* refsIn(value: unknown, path: readonly PropertyKey[] = []): Generator<PlacedRef> {
  if (isFunctionRef(value)) yield { ref: value, path }
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* refsIn(item, [...path, index])
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* refsIn(item, [...path, key])
}
