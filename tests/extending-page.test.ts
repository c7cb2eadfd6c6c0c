import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/extending.md'), 'utf8')
const prose = page.replace(/^```[\s\S]*?^```/gm, '')
const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

const program = ts.createProgram([join(root, 'src/index.ts')], {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
})
const checker = program.getTypeChecker()
const index = checker.getSymbolAtLocation(
  program.getSourceFile(join(root, 'src/index.ts')) ?? expect.unreachable('src/index.ts'),
)
const exported = new Map(
  checker.getExportsOfModule(index ?? expect.unreachable('exports')).map(symbol => [symbol.name, symbol]),
)

function typeOf(name: string): ts.Type {
  const symbol = exported.get(name) ?? expect.unreachable(`pipeline exports no ${name}`)
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
  return checker.getDeclaredTypeOfSymbol(isAlias ? checker.getAliasedSymbol(symbol) : symbol)
}

/** Returns the keys of all members of a union type. */
const keysOf = (name: string): readonly string[] => {
  const type = typeOf(name)
  return (type.isUnion() ? type.types : [type]).flatMap(member => member.getProperties().map(key => key.name))
}

test('every type and function that docs/extending.md names can be imported', () => {
  const types = inline.filter(code => /^[A-Z][a-z]+[A-Za-z]*$/.test(code))
  const functions = inline.flatMap(
    code => /^(define[A-Z]\w*|evaluate|scored|unparsed|read|unread|affectsOutput|transport)\b/.exec(code)?.[1] ?? [],
  )
  expect(types).toContain('EvaluatedRun')
  expect([...types, ...functions].filter(name => !exported.has(name))).toEqual([])
})

test('evaluate() returns what docs/extending.md says', () => {
  const symbol = checker.getAliasedSymbol(exported.get('evaluate') ?? expect.unreachable('evaluate'))
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
  const given = checker.getAwaitedType((signature ?? expect.unreachable('evaluate()')).getReturnType())
  expect(given?.aliasSymbol?.name ?? given?.symbol.name).toBe('EvaluatedRun')
  const members = [...page.matchAll(/\brun\.(\w+)/g)].map(([, name = '']) => name)
  expect(members).toContain('scores')
  expect(members.filter(name => !keysOf('EvaluatedRun').includes(name))).toEqual([])
})

test("docs/extending.md explains only keys that a backend's definition has", () => {
  const section = /## A model backend\n([\s\S]*?)\n## /.exec(prose)?.[1] ?? ''
  const keys = [...section.matchAll(/^- `(\w+)(?:: [^`]*|\([^`]*\))?`/gm)].map(([, name = '']) => name)
  const known = new Set(['BackendDraft', 'TextModel', 'Model', 'ModelRequest', 'BackendDefinition'].flatMap(keysOf))
  expect(keys).toEqual(expect.arrayContaining(['form', 'ready', 'identify', 'code', 'generate', 'answer', 'batch']))
  expect(keys.filter(key => !known.has(key) && !exported.has(key))).toEqual([])
})
