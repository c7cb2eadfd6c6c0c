import { globals } from './jinja/context.js'
import { filterNamed } from './jinja/filters.js'
import type { Body } from './jinja/parse/syntax.js'

/** The names that a template reads from a doc. */
export interface FreeVariables {
  /** Names without which it cannot be rendered. */
  readonly required: readonly string[]
  /** Names that the template checks with `is defined`, or uses only after such a check. */
  readonly optional: readonly string[]
}

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Finds the free variables of a parsed template. A name that the template sets before its use is not free. */
export function freeVariables(body: Body): FreeVariables {
  const variables: VariableUses = { used: new Set(), guarded: new Set(), bound: new Set(['']), asked: new Set() }
  visit(body, variables)
  const { used, guarded, asked } = variables
  // A doc may have a column with the name of a global function.
  for (const [name] of globals) if (used.delete(name) || guarded.has(name)) asked.add(name)
  const required = [...used].filter(name => !asked.has(name))
  const optional = [...new Set([...asked, ...guarded])].filter(name => !required.includes(name))
  return { required, optional }
}

interface VariableUses {
  readonly used: Set<string>
  /** Names used behind a check, or that a condition may have set. */
  readonly guarded: Set<string>
  readonly bound: Set<string>
  readonly asked: Set<string>
}

function visit(value: unknown, variables: VariableUses): void {
  if (isNode(value)) visitNode(value, variables)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(item => visit(item, variables))
}

function visitNode(node: Node, variables: VariableUses): void {
  switch (node.type) {
    case 'name':
      if (!variables.bound.has(String(node['name']))) variables.used.add(String(node['name']))
      return
    case 'test':
      if (/^(un)?defined$/.test(String(node['name']))) addRoot(node['of'], variables)
      break
    case 'filter':
      if (filterNamed(String(node['name'])) === 'default') addRoot(node['of'], variables)
      break
    case 'if':
    case 'condition':
      visitBranches(node, variables)
      return
    case 'for':
      visit(node['over'], variables)
      visit(node['otherwise'], within(variables))
      visitInner([node['test'], node['body']], ['loop', ...listTargetNames(node['target'])], variables)
      return
    case 'set':
    case 'capture':
      visit(node['value'], variables)
      visitInner([node['filter'], node['body']], [], variables)
      visitTarget(node['target'], variables)
      return
    case 'macro':
    case 'call-block':
      visitMacro(node, variables)
      return
    case 'filter-block':
    case 'with':
      visitWith(node, variables)
      return
  }
  for (const item of Object.values(node)) visit(item, variables)
}

const within = (variables: VariableUses, names: readonly string[] = []): VariableUses => ({
  ...variables,
  bound: new Set([...variables.bound, ...names]),
})

const visitInner = (parts: readonly unknown[], names: readonly string[], variables: VariableUses): void =>
  visit(parts, within(variables, names))

/**
 * In `answer if answer is defined else target`, neither name is required of every doc. A name that one branch sets
 * may stay unset.
 */
function visitBranches(node: Node, variables: VariableUses): void {
  const testedNames = new Set<string>()
  visit(node['test'], { ...variables, asked: testedNames })
  testedNames.forEach(name => variables.asked.add(name))
  const used = testedNames.size > 0 ? variables.guarded : variables.used
  for (const branch of ['body', 'then', 'otherwise']) {
    const inner = within({ ...variables, used })
    visit(node[branch], inner)
    for (const name of inner.bound) {
      if (variables.bound.has(name)) continue
      variables.bound.add(name)
      variables.guarded.add(name)
    }
  }
}

interface NodeFields {
  readonly name?: string
  readonly otherwise?: unknown
  readonly target?: unknown
  readonly value?: unknown
}

function visitMacro(node: Node, variables: VariableUses): void {
  const parameters = node['parameters'] as readonly NodeFields[]
  visit(node['call'], variables)
  if (node.type === 'macro') variables.bound.add(String(node['name']))
  const names = parameters.map(({ name = '' }) => name)
  const inner = within(variables, [...names, 'caller', 'varargs', 'kwargs'])
  for (const { otherwise } of parameters) visit(otherwise, inner)
  visit(node['body'], inner)
}

function visitWith(node: Node, variables: VariableUses): void {
  const bindings = (node['bindings'] ?? []) as readonly NodeFields[]
  for (const { value } of bindings) visit(value, variables)
  visitInner(
    [node['filter'], node['body']],
    bindings.flatMap(({ target }) => listTargetNames(target)),
    variables,
  )
}

/** Setting a field of a namespace reads the namespace. */
function visitTarget(target: unknown, variables: VariableUses): void {
  if (isNode(target) && target.type === 'attribute') visit(target['of'], variables)
  else for (const name of listTargetNames(target)) variables.bound.add(name)
}

function listTargetNames(target: unknown): readonly string[] {
  if (!isNode(target)) return []
  if (target.type === 'name') return [String(target['name'])]
  return target.type === 'tuple' ? (target['items'] as readonly unknown[]).flatMap(listTargetNames) : []
}

function addRoot(value: unknown, variables: VariableUses): void {
  if (!isNode(value)) return
  if (value.type === 'name' && !variables.bound.has(String(value['name']))) variables.asked.add(String(value['name']))
  else if (value.type === 'attribute' || value.type === 'item') addRoot(value['of'], variables)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
