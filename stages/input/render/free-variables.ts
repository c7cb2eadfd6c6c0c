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
  const found: Found = { used: new Set(), guarded: new Set(), bound: new Set(['']), asked: new Set() }
  visit(body, found)
  const { used, guarded, asked } = found
  // A doc may have a column with the name of a global function.
  for (const [name] of globals) if (used.delete(name) || guarded.has(name)) asked.add(name)
  const required = [...used].filter(name => !asked.has(name))
  const optional = [...new Set([...asked, ...guarded])].filter(name => !required.includes(name))
  return { required, optional }
}

interface Found {
  readonly used: Set<string>
  /** Names used behind a check, or that a condition may have set. */
  readonly guarded: Set<string>
  readonly bound: Set<string>
  readonly asked: Set<string>
}

function visit(value: unknown, found: Found): void {
  if (isNode(value)) visitNode(value, found)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(item => visit(item, found))
}

function visitNode(node: Node, found: Found): void {
  switch (node.type) {
    case 'name':
      if (!found.bound.has(String(node['name']))) found.used.add(String(node['name']))
      return
    case 'test':
      if (/^(un)?defined$/.test(String(node['name']))) addRoot(node['of'], found)
      break
    case 'filter':
      if (filterNamed(String(node['name'])) === 'default') addRoot(node['of'], found)
      break
    case 'if':
    case 'condition':
      visitBranches(node, found)
      return
    case 'for':
      visit(node['over'], found)
      visit(node['otherwise'], within(found))
      visitInner([node['test'], node['body']], ['loop', ...listTargetNames(node['target'])], found)
      return
    case 'set':
    case 'capture':
      visit(node['value'], found)
      visitInner([node['filter'], node['body']], [], found)
      visitTarget(node['target'], found)
      return
    case 'macro':
    case 'call-block':
      visitMacro(node, found)
      return
    case 'filter-block':
    case 'with':
      visitWith(node, found)
      return
  }
  for (const item of Object.values(node)) visit(item, found)
}

const within = (found: Found, names: readonly string[] = []): Found => ({
  ...found,
  bound: new Set([...found.bound, ...names]),
})

const visitInner = (parts: readonly unknown[], names: readonly string[], found: Found): void =>
  visit(parts, within(found, names))

/**
 * In `answer if answer is defined else target`, neither name is required of every doc. A name that one branch sets
 * may stay unset.
 */
function visitBranches(node: Node, found: Found): void {
  const asked = new Set<string>()
  visit(node['test'], { ...found, asked })
  asked.forEach(name => found.asked.add(name))
  const used = asked.size > 0 ? found.guarded : found.used
  for (const branch of ['body', 'then', 'otherwise']) {
    const inner = within({ ...found, used })
    visit(node[branch], inner)
    for (const name of inner.bound) {
      if (found.bound.has(name)) continue
      found.bound.add(name)
      found.guarded.add(name)
    }
  }
}

interface Named {
  readonly name?: string
  readonly otherwise?: unknown
  readonly target?: unknown
  readonly value?: unknown
}

function visitMacro(node: Node, found: Found): void {
  const parameters = node['parameters'] as readonly Named[]
  visit(node['call'], found)
  if (node.type === 'macro') found.bound.add(String(node['name']))
  const names = parameters.map(({ name = '' }) => name)
  const inner = within(found, [...names, 'caller', 'varargs', 'kwargs'])
  for (const { otherwise } of parameters) visit(otherwise, inner)
  visit(node['body'], inner)
}

function visitWith(node: Node, found: Found): void {
  const bindings = (node['bindings'] ?? []) as readonly Named[]
  for (const { value } of bindings) visit(value, found)
  visitInner(
    [node['filter'], node['body']],
    bindings.flatMap(({ target }) => listTargetNames(target)),
    found,
  )
}

/** Setting a field of a namespace reads the namespace. */
function visitTarget(target: unknown, found: Found): void {
  if (isNode(target) && target.type === 'attribute') visit(target['of'], found)
  else for (const name of listTargetNames(target)) found.bound.add(name)
}

function listTargetNames(target: unknown): readonly string[] {
  if (!isNode(target)) return []
  if (target.type === 'name') return [String(target['name'])]
  return target.type === 'tuple' ? (target['items'] as readonly unknown[]).flatMap(listTargetNames) : []
}

function addRoot(value: unknown, found: Found): void {
  if (!isNode(value)) return
  if (value.type === 'name' && !found.bound.has(String(value['name']))) found.asked.add(String(value['name']))
  else if (value.type === 'attribute' || value.type === 'item') addRoot(value['of'], found)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
