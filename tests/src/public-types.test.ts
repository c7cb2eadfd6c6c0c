import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from '../support/cli.js'

/** What a store is to the stages: only its name is public. */
const opaque = new Set(['Store', 'PortableStore'])

/** Only the files of the project, because packages have their own names and many files. */
function ownFiles(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const resolvedFileName = join(dirname(from), text.replace(/\.js$/, '.ts'))
      return {
        resolvedModule: text.startsWith('.') ? { resolvedFileName, extension: ts.Extension.Ts } : undefined,
      }
    })
  return host
}

/** Types of the project in the public interface that cannot be imported by name. */
function unnamedTypes(entry: string): string[] {
  const options: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext, noLib: true, types: [] }
  const program = ts.createProgram([entry], options, ownFiles(options))
  const checker = program.getTypeChecker()
  const whole = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const source = program.getSourceFile(entry)
  const module = source && checker.getSymbolAtLocation(source)
  const named = new Set(module === undefined ? [] : checker.getExportsOfModule(module).map(whole))
  const isType = (node: ts.Declaration): boolean => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)
  const isExported = (node: ts.Declaration): boolean =>
    (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0

  const unnamed = new Set<string>()
  const seen = new Set<ts.Node>()
  /** Function bodies and inferred types are not part of the public interface. */
  const visit = (node: ts.Node): void => {
    if (seen.has(node) || ts.isBlock(node)) return
    seen.add(node)
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined
    const symbol = name && checker.getSymbolAtLocation(name)
    const [declaration] = symbol === undefined ? [] : (whole(symbol).declarations ?? [])
    if (symbol !== undefined && declaration !== undefined && isType(declaration)) {
      if (isExported(declaration) && !named.has(whole(symbol)) && !opaque.has(whole(symbol).name))
        unnamed.add(whole(symbol).name)
      if (!opaque.has(whole(symbol).name)) visit(declaration)
    }
    node.forEachChild(visit)
  }
  for (const symbol of named) if (!opaque.has(symbol.name)) for (const node of symbol.declarations ?? []) visit(node)
  expect(named.size).toBeGreaterThan(50)
  return [...unnamed].sort()
}

test('every type in the signature of a public function or type has a public name', () => {
  expect(unnamedTypes(join(root, 'src/index.ts'))).toEqual([])
})
