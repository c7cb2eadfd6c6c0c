/** The names that a template takes from a doc. */
export interface FreeVariables {
  /** It can't be rendered without them. */
  readonly required: readonly string[]
  /** It asks whether they are there, or needs them only where it has asked something of the kind. */
  readonly optional: readonly string[]
}

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const globals = [
  'range',
  'namespace',
  'raise_exception',
  'true',
  'false',
  'none',
  'True',
  'False',
  'None',
  'loop',
  'caller',
]

/** Walks a parsed Jinja template. A name that the template itself sets anywhere is not free. */
export function freeVariables(program: unknown): FreeVariables {
  const found: Found = { used: new Set(), guarded: new Set(), bound: new Set(globals), asked: new Set() }
  visit(program, found)
  const { used, guarded, bound, asked } = found
  const required = [...used].filter(name => !bound.has(name) && !asked.has(name))
  const optional = [...new Set([...asked, ...guarded])].filter(name => !bound.has(name) && !required.includes(name))
  return { required, optional }
}

interface Found {
  readonly used: Set<string>
  /** Used where a condition has asked whether something is there. */
  readonly guarded: Set<string>
  readonly bound: Set<string>
  readonly asked: Set<string>
}

function visit(value: unknown, found: Found): void {
  if (Array.isArray(value)) value.forEach(item => visit(item, found))
  else if (value instanceof Map) [...value].forEach(([key, item]) => visit([key, item], found))
  else if (isNode(value)) visitNode(value, found)
}

function visitNode(node: Node, found: Found): void {
  switch (node.type) {
    case 'Identifier':
      found.used.add(String(node['value']))
      return
    case 'MemberExpression':
      visit(node['object'], found)
      if (node['computed'] === true) visit(node['property'], found)
      return
    case 'KeywordArgumentExpression':
      visit(node['value'], found)
      return
    case 'TestExpression':
      if (/^(un)?defined$/.test(nameIn(node['test']))) addRoot(node['operand'], found.asked)
      visit(node['operand'], found)
      return
    case 'FilterExpression':
      if (/^(default|d)$/.test(nameIn(node['filter']))) addRoot(node['operand'], found.asked)
      visit(node['operand'], found)
      visitCall(node['filter'], found)
      return
    case 'FilterStatement':
      visitCall(node['filter'], found)
      visit(node['body'], found)
      return
    case 'If':
    case 'Ternary':
      visitBranches(node, found)
      return
    default:
      bindNames(node, found.bound)
      for (const [field, item] of Object.entries(node)) if (field !== 'type') visit(item, found)
  }
}

/** `answer if answer is defined else target`: neither is needed of every doc. */
function visitBranches(node: Node, found: Found): void {
  const asked = new Set<string>()
  visit(node['test'] ?? node['condition'], { ...found, asked })
  asked.forEach(name => found.asked.add(name))
  const within = asked.size > 0 ? { ...found, used: found.guarded } : found
  for (const branch of ['body', 'alternate', 'trueExpr', 'falseExpr']) visit(node[branch], within)
}

/** A filter's own name is no variable; its arguments may be. */
function visitCall(filter: unknown, found: Found): void {
  if (isNode(filter) && filter.type === 'CallExpression') visit(filter['args'], found)
}

function bindNames(node: Node, bound: Set<string>): void {
  const names = { For: ['loopvar'], Set: ['assignee'], Macro: ['name', 'args'], CallStatement: ['callerArgs'] }[
    node.type
  ]
  for (const field of names ?? []) bind(node[field], bound)
}

function bind(value: unknown, bound: Set<string>): void {
  if (Array.isArray(value)) value.forEach(item => bind(item, bound))
  else if (!isNode(value)) return
  else if (value.type === 'Identifier') bound.add(String(value['value']))
  else if (value.type === 'TupleLiteral') bind(value['value'], bound)
  else if (value.type === 'KeywordArgumentExpression') bind(value['key'], bound)
}

function nameIn(value: unknown): string {
  if (!isNode(value)) return ''
  return value.type === 'CallExpression' ? nameIn(value['callee']) : String(value['value'])
}

function addRoot(value: unknown, names: Set<string>): void {
  if (!isNode(value)) return
  if (value.type === 'Identifier') names.add(String(value['value']))
  else if (value.type === 'MemberExpression') addRoot(value['object'], names)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
