/** The names that a template takes from a doc. */
export interface FreeVariables {
  /** It can't be rendered without them. */
  readonly required: readonly string[]
  /** It asks whether they are there. */
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
  const used = new Set<string>()
  const bound = new Set<string>(globals)
  const asked = new Set<string>()
  visit(program, { used, bound, asked })
  const free = [...used].filter(name => !bound.has(name))
  const optional = [...asked].filter(name => !bound.has(name))
  return { required: free.filter(name => !asked.has(name)), optional }
}

interface Found {
  readonly used: Set<string>
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
    default:
      bindNames(node, found.bound)
      for (const [field, item] of Object.entries(node)) if (field !== 'type') visit(item, found)
  }
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
