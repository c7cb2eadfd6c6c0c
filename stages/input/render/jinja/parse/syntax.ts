import type { Value } from '../values.js'

export type Expression =
  | { readonly type: 'constant'; readonly value: Value }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly type: 'dict'; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly type: 'attribute'; readonly of: Expression; readonly name: string }
  | { readonly type: 'item'; readonly of: Expression; readonly at: Expression }
  | { readonly type: 'slice'; readonly from?: Expression; readonly to?: Expression; readonly step?: Expression }
  | { readonly type: 'call'; readonly of: Expression; readonly args: CallArguments }
  | { readonly type: 'filter' | 'test'; readonly of: Expression; readonly name: string; readonly args: CallArguments }
  | { readonly type: 'not' | 'negative' | 'positive'; readonly of: Expression }
  | { readonly type: 'arithmetic'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'concatenation'; readonly parts: readonly Expression[] }
  | { readonly type: 'comparison'; readonly first: Expression; readonly rest: readonly Comparison[] }
  | { readonly type: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: 'condition'
      readonly test: Expression
      readonly then: Expression
      readonly otherwise?: Expression
    }

export interface Comparison {
  readonly operator: string
  readonly to: Expression
}

export interface CallArguments {
  readonly positional: readonly Expression[]
  readonly named: readonly (readonly [string, Expression])[]
  /** `*list` and `**dict` among the arguments. */
  readonly spread?: Expression
  readonly spreadNamed?: Expression
}

export interface Parameter {
  readonly name: string
  readonly otherwise?: Expression
}

/** A statement of a template. */
export type Statement =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'output'; readonly values: readonly Expression[] }
  | { readonly type: 'if'; readonly test: Expression; readonly body: Body; readonly otherwise: Body }
  | ForStatement
  | { readonly type: 'set'; readonly target: Expression; readonly value: Expression }
  | { readonly type: 'capture'; readonly target: Expression; readonly filter: Expression; readonly body: Body }
  | MacroStatement
  | { readonly type: 'call-block'; readonly parameters: readonly Parameter[]; readonly call: Call; readonly body: Body }
  | { readonly type: 'filter-block'; readonly filter: Expression; readonly body: Body }
  | {
      readonly type: 'with'
      readonly bindings: readonly { readonly target: Expression; readonly value: Expression }[]
      readonly body: Body
    }

export type Body = readonly Statement[]
export type Call = Extract<Expression, { readonly type: 'call' }>

export interface ForStatement {
  readonly type: 'for'
  readonly target: Expression
  readonly over: Expression
  readonly test?: Expression
  readonly body: Body
  readonly otherwise: Body
  readonly isRecursive: boolean
}

export interface MacroStatement {
  readonly type: 'macro'
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly body: Body
}

/** Stands for the text of the block in the filter of `{% filter %}` and `{% set %}`. */
export const captured: Expression = { type: 'name', name: '' }
