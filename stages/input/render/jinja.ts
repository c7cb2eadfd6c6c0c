import * as jinja from '@huggingface/jinja'

export interface JinjaNode {
  readonly type: string
  readonly value?: unknown
}

export interface JinjaProgram extends JinjaNode {
  readonly body: readonly JinjaNode[]
}

export interface JinjaValue {
  readonly type: string
  readonly value: unknown
  /** What a number or a time is printed as, where that is not what follows from its value. */
  readonly text?: string
  /** The same within lists and objects. */
  readonly repr?: string
}

export interface JinjaEnvironment {
  set(name: string, value: unknown): void
  setVariable(name: string, value: JinjaValue): void
  lookupVariable(name: string): JinjaValue
}

export interface JinjaInterpreter {
  run(program: JinjaProgram): JinjaValue
  evaluate(statement: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue
  evaluateBlock(statements: readonly JinjaNode[], environment: JinjaEnvironment): JinjaValue
}

interface JinjaLibrary {
  readonly tokenize: (source: string, options: { lstrip_blocks: boolean; trim_blocks: boolean }) => unknown
  readonly parse: (tokens: unknown) => JinjaProgram
  readonly Environment: new () => JinjaEnvironment
  readonly Interpreter: new (environment: JinjaEnvironment) => JinjaInterpreter
}

// The package's own declarations do not resolve under Node's rules for ES modules: these are the parts that are used.
const library: JinjaLibrary = jinja
export const { tokenize, parse, Environment, Interpreter } = library
