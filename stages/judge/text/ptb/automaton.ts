export interface Match {
  readonly pattern: number
  readonly end: number
}

/** Finds the longest match of several patterns, and which pattern it is. */
export interface Automaton {
  /**
   * Finds the longest match in `text` from a given position, at least one unit long. If several patterns reach
   * equally far, the first one is returned. It remembers the positions at which searches failed, so that the time
   * for a whole text is linear.
   *
   * Source: Reps, "Maximal-munch tokenization in linear time" (1998).
   */
  search(text: string): (start: number) => Match | undefined
  /** The positions at which matches from `start` can end, up to `end`, ascending. */
  ends(text: string, start: number, end: number): readonly number[]
}

/**
 * Builds a deterministic automaton over UTF-16 units for the union of patterns. States are created when a text
 * first reaches them, since most are never needed. Units for which `unknown` is true are treated as members of no
 * class.
 */
export function automaton(patterns: readonly Pattern[], unknown: (unit: number) => boolean): Automaton {
  const graph = new Graph(patterns)
  const classes = unitClasses(graph.sets, unknown)
  const states = new Map<string, State>()
  const internState = (nodes: readonly number[]): State => {
    const closedNodes = graph.closure(nodes)
    const key = closedNodes.join()
    const existingState = states.get(key)
    if (existingState !== undefined) return existingState
    const state: State = { nodes: closedNodes, pattern: graph.firstFinal(closedNodes), next: [] }
    states.set(key, state)
    return state
  }
  const begin = internState(graph.starts)
  const step = (state: State, unit: number): State | null => {
    const { id, members } = classes(unit)
    const nextState = state.next[id]
    if (nextState !== undefined) return nextState
    const nodes = graph.after(state.nodes, members)
    return (state.next[id] = nodes.length === 0 ? null : internState(nodes))
  }
  return {
    search(text) {
      const futile: Set<State>[] = []
      return start => {
        let match: Match | undefined
        let state: State | null = begin
        const passed: State[] = []
        for (let at = start; at < text.length; at++) {
          state = step(state, text.charCodeAt(at))
          if (state === null || futile[at]?.has(state) === true) break
          passed.push(state)
          if (state.pattern !== undefined) match = { pattern: state.pattern, end: at + 1 }
        }
        for (let at = match?.end ?? start; at < start + passed.length; at++) {
          const futileStates = (futile[at] ??= new Set())
          const passedState = passed[at - start]
          if (passedState !== undefined) futileStates.add(passedState)
        }
        return match
      }
    },
    ends(text, start, end) {
      const endPositions: number[] = []
      let state: State | null = begin
      for (let at = start; at <= end; at++) {
        if (state.pattern !== undefined) endPositions.push(at)
        if (at === end) break
        state = step(state, text.charCodeAt(at))
        if (state === null) break
      }
      return endPositions
    },
  }
}

interface State {
  readonly nodes: readonly number[]
  /** The first pattern that can end in this state. */
  readonly pattern: number | undefined
  /** The next state by class of units. */
  readonly next: (State | null | undefined)[]
}

interface UnitClass {
  readonly id: number
  /** The sets that contain the units of this class. */
  readonly members: ReadonlySet<number>
}

/** Divides units into classes. Units that are in the same sets share a class. */
function unitClasses(sets: readonly string[], unknown: (unit: number) => boolean): (unit: number) => UnitClass {
  const tests = sets.map(set => new RegExp(`^${set}$`, 'u'))
  const byUnit = new Map<number, UnitClass>()
  const bySets = new Map<string, UnitClass>()
  return unit => {
    const cachedClass = byUnit.get(unit)
    if (cachedClass !== undefined) return cachedClass
    const character = unknown(unit) ? '\uffff' : String.fromCharCode(unit)
    const members = tests.flatMap((test, i) => (test.test(character) ? [i] : []))
    const key = members.join()
    const unitClass = bySets.get(key) ?? { id: bySets.size, members: new Set(members) }
    bySets.set(key, unitClass)
    byUnit.set(unit, unitClass)
    return unitClass
  }
}

/** The patterns as a graph, by Thompson's construction. Each edge takes one unit of a set, or nothing. */
class Graph {
  readonly sets: string[] = []
  readonly starts: readonly number[]
  readonly #free: number[][] = []
  readonly #edges: ({ readonly set: number; readonly to: number } | undefined)[] = []
  readonly #finals = new Map<number, number>()

  constructor(patterns: readonly Pattern[]) {
    this.starts = patterns.map((pattern, i) => {
      const end = this.#node()
      this.#finals.set(end, i)
      return this.#add(pattern, end)
    })
  }

  closure(nodes: readonly number[]): readonly number[] {
    const reached = new Set(nodes)
    for (const node of reached) for (const next of this.#free[node] ?? []) reached.add(next)
    return [...reached].filter(node => this.#edges[node] !== undefined || this.#finals.has(node)).sort((a, b) => a - b)
  }

  after(nodes: readonly number[], sets: ReadonlySet<number>): readonly number[] {
    return nodes.flatMap(node => {
      const edge = this.#edges[node]
      return edge !== undefined && sets.has(edge.set) ? [edge.to] : []
    })
  }

  firstFinal(nodes: readonly number[]): number | undefined {
    const finals = nodes.flatMap(node => this.#finals.get(node) ?? [])
    return finals.length === 0 ? undefined : Math.min(...finals)
  }

  #node(free: number[] = []): number {
    this.#edges.push(undefined)
    return this.#free.push(free) - 1
  }

  /** Adds the nodes of `pattern` that lead to `to`, and returns the first node. */
  #add(pattern: Pattern, to: number): number {
    switch (pattern.kind) {
      case 'one': {
        const node = this.#node()
        const setIndex = this.sets.indexOf(pattern.set)
        this.#edges[node] = { set: setIndex === -1 ? this.sets.push(pattern.set) - 1 : setIndex, to }
        return node
      }
      case 'all':
        return pattern.parts.reduceRight((end, part) => this.#add(part, end), to)
      case 'any':
        return this.#node(pattern.choices.map(choice => this.#add(choice, to)))
      case 'repeat':
        return this.#addRepeat(pattern, to)
    }
  }

  #addRepeat({ part, least, most }: Extract<Pattern, { kind: 'repeat' }>, to: number): number {
    let node = to
    if (most === Infinity) {
      const free = [to]
      node = this.#node(free)
      free.push(this.#add(part, node))
    } else {
      for (let i = least; i < most; i++) node = this.#node([to, this.#add(part, node)])
    }
    for (let i = 0; i < least; i++) node = this.#add(part, node)
    return node
  }
}

/** The syntax tree of a lexer pattern. */
type Pattern =
  | { readonly kind: 'one'; readonly set: string }
  | { readonly kind: 'all'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'any'; readonly choices: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number }

/**
 * Parses a pattern in the syntax of regular expressions: `( | )`, `[…]`, `? * + {m,n}` and `\` before a character.
 * A letter outside `[…]` matches all its cases; inside it matches only itself. Each `set` is a class that `RegExp`
 * accepts with the flag `u`.
 *
 * @throws Error if the pattern is malformed.
 */
export function readPattern(source: string): Pattern {
  const cursor: Cursor = { source, at: 0 }
  const pattern = readChoices(cursor)
  if (cursor.at < source.length) throw new Error(`unexpected ${source.charAt(cursor.at)} in ${source}`)
  return pattern
}

interface Cursor {
  readonly source: string
  at: number
}

const peek = ({ source, at }: Cursor): string => source.charAt(at)

function readChoices(cursor: Cursor): Pattern {
  const choices = [readSequence(cursor)]
  while (peek(cursor) === '|') {
    cursor.at++
    choices.push(readSequence(cursor))
  }
  const [only] = choices
  return choices.length === 1 && only !== undefined ? only : { kind: 'any', choices }
}

function readSequence(cursor: Cursor): Pattern {
  const parts: Pattern[] = []
  while (cursor.at < cursor.source.length && !'|)'.includes(peek(cursor))) parts.push(readRepeated(cursor))
  return { kind: 'all', parts }
}

function readRepeated(cursor: Cursor): Pattern {
  const part = readAtom(cursor)
  const repeat = (least: number, most: number): Pattern => ({ kind: 'repeat', part, least, most })
  const [sign = ''] = /^(?:[?*+]|\{\d+(?:,\d+)?\})/.exec(cursor.source.slice(cursor.at)) ?? []
  cursor.at += sign.length
  switch (sign) {
    case '':
      return part
    case '?':
      return repeat(0, 1)
    case '*':
      return repeat(0, Infinity)
    case '+':
      return repeat(1, Infinity)
    default: {
      const [least = 0, most = least] = sign.slice(1, -1).split(',').map(Number)
      return repeat(least, most)
    }
  }
}

function readAtom(cursor: Cursor): Pattern {
  const first = peek(cursor)
  if (first === '(') {
    cursor.at++
    const inner = readChoices(cursor)
    if (peek(cursor) !== ')') throw new Error(`( without ) in ${cursor.source}`)
    cursor.at++
    return inner
  }
  const [atom] =
    /^(?:\[(?:\\.|[^\]\\])+\]|\\u[0-9a-fA-F]{4}|\\.|[^?*+{}[\]])/.exec(cursor.source.slice(cursor.at)) ?? []
  if (atom === undefined) throw new Error(`unexpected ${first} in ${cursor.source}`)
  cursor.at += atom.length
  return { kind: 'one', set: /^[a-z]$/i.test(atom) ? `[${listCases(atom.toLowerCase())}]` : atom }
}

const listCases = (small: string): string => small + small.toUpperCase() + (moreCases.get(small) ?? '')

/** Further cases of letters: capital i with a dot, the Kelvin sign and long s. */
const moreCases = new Map([
  ['i', '\\u0130'],
  ['k', '\\u212a'],
  ['s', '\\u017f'],
])
