// Puts the compiled program and its library into a few files under dist/program/: a module of its own costs Node a quarter of
// a millisecond whenever the program starts, and there are hundreds. Packages of many modules go in, too. Runs after tsc, whose
// files stay beside it: threads and child processes start from them.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const bundledPackages = ['hyparquet', 'hyparquet-writer', 'undici', 'yaml', 'zod']
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const folder = join(dist, 'program')

/** undici's own index also loads its fetch, cookies, caches and mocks, which is most of it. A name that is missing here fails the build. */
const undiciClient = {
  name: 'undici-client',
  setup({ onResolve, onLoad }) {
    // Loaded only where a proxy is set, and then as it is installed.
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.endsWith('proxied-fetch.js')
        ? { path: 'undici', external: true }
        : { path: 'undici', namespace: 'client' },
    )
    onLoad({ filter: /^undici$/, namespace: 'client' }, () => ({
      contents: `
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
        import api from 'undici/lib/api/index.js'
        Object.assign(Dispatcher.prototype, api)
        export { default as Client } from 'undici/lib/dispatcher/client.js'
        export { default as Pool } from 'undici/lib/dispatcher/pool.js'
        export { default as buildConnector } from 'undici/lib/core/connect.js'
        export { default as errors } from 'undici/lib/core/errors.js'`,
      resolveDir: root,
    }))
  },
}

/** zod's error texts in fifty languages: the program speaks one. */
const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js'`,
      resolveDir: dirname(path),
    }))
  },
}

const externals = {
  name: 'externals',
  setup({ onResolve }) {
    // A bare name: a package, unless it is one of those that go in.
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || bundledPackages.includes(path.split('/')[0]) ? undefined : { path, external: true },
    )
  },
}

const command = name => join(dist, 'src/cli/commands', `${name}.js`)

/** What is loaded when it is needed, and what is there by then or costs little: the names of the levels below. */
const levels = {
  'for-stores': ['runs', 'report', 'compare', 'export', 'import', 'cache'].map(command),
  'for-stages': ['eval', 'infer', 'judge', 'resume', 'tasks', 'models'].map(command),
}

/** Modules below a folder that are loaded by name when they are needed, such as metrics, filters and backends. */
const loadedByName = folder =>
  readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js'))
    .flatMap(file => {
      const path = join(dist, folder, file)
      const imports = readFileSync(path, 'utf8').matchAll(/import\('(\.[^']+)'\)/g)
      return [...imports].map(([, to]) => join(dirname(path), to))
    })

const levelOf = new Map([
  ...loadedByName('cache').map(path => [path, 'for-stores']),
  ...loadedByName('stages').map(path => [path, 'for-stages']),
  ...Object.entries(levels).flatMap(([level, paths]) => paths.map(path => [path, level])),
])

/**
 * Each set of entry points that share a module would get a chunk of its own for it, some seventy for an evaluation. Entry points
 * of one level share one chunk, since each says that it needs all that the level's commands do.
 */
const sharedByLevel = {
  name: 'shared-by-level',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^for-st(ores|ages)$/ }, ({ path }) => ({ path, namespace: 'level' }))
    onLoad({ filter: /.*/, namespace: 'level' }, ({ path }) => ({
      contents: [...(path === 'for-stages' ? ['for-stores'] : []), ...levels[path]]
        .map(name => `import ${JSON.stringify(name)}`)
        .join('\n'),
      resolveDir: dist,
    }))
  },
}

const sharing = path => (levelOf.has(path) ? `import '${levelOf.get(path)}';` : '')

/** Code that asks where it is must be told where tsc put it, from where the bundle is. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const inDist = relative(dist, path).split('\\').join('/')
      if (inDist.startsWith('..')) return undefined
      const contents = readFileSync(path, 'utf8')
      const place = `new URL('../${inDist}', import.meta.url).href`
      return { contents: sharing(path) + contents.replaceAll('import.meta.url', place), resolveDir: dirname(path) }
    })
  },
}

rmSync(folder, { recursive: true, force: true })
await build({
  // One build, so that a plugin that imports this package by name meets the classes of the program that loads it.
  entryPoints: { main: join(dist, 'src/cli/main.js'), index: join(dist, 'src/index.js') },
  outdir: folder,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Less to parse at every start; names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  // CommonJS packages ask for Node's own modules by `require`.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
  },
  plugins: [undiciClient, oneLanguage, sharedByLevel, externals, places],
})
for (const name of bundledPackages)
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(folder, `${name}.LICENSE`))

const bin = join(dist, 'src/cli/bin.js')
writeFileSync(bin, readFileSync(bin, 'utf8').replace("'./main.js'", "'../../program/main.js'"))
