// Bundles the compiled program and its library into a few files under dist/program/. Node needs a quarter of a millisecond for each module at every
// start, and there are hundreds. Packages with many modules are included. The script runs after tsc, whose files stay: threads and child processes
// start from them.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const bundledPackages = [
  '@asteasolutions/zod-to-openapi',
  '@hono/node-server',
  '@hono/zod-openapi',
  '@hono/zod-validator',
  '@opentelemetry/api',
  'bintrees',
  'hono',
  'hyparquet',
  'hyparquet-writer',
  'openapi3-ts',
  'prom-client',
  'tdigest',
  'undici',
  'yaml',
  'zod',
]
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const folder = join(dist, 'program')

/** Replaces undici's index, which also loads fetch, cookies, caches and mocks. A missing name fails the build. */
const undiciClient = {
  name: 'undici-client',
  setup({ onResolve, onLoad }) {
    // Loaded from the installed package, and only for a proxy or for a fetch that reaches public servers alone.
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      /(proxied|public)-fetch\.js$/.test(importer)
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

/** Removes zod's error messages in fifty languages, because the program uses only English. */
const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js'`,
      resolveDir: dirname(path),
    }))
  },
}

/** The package of a bare name: `hono` of `hono/streaming`, `@hono/node-server` of itself. */
const packageOf = path =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')

const externals = {
  name: 'externals',
  setup({ onResolve }) {
    // A bare name is a package, which stays outside unless it is listed.
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || bundledPackages.includes(packageOf(path)) ? undefined : { path, external: true },
    )
  },
}

const command = name => join(dist, 'src/cli/commands', `${name}.js`)

/** Commands that together need nearly every module that any start needs. */
const mostCommands = ['runs/runs', 'report/report', 'eval', 'resume'].map(command)
/** Commands that need few modules, and start sooner with these alone. */
const smallCommands = new Set(['version', 'completion'].map(command))

/** Modules that are loaded when needed, such as commands, metrics and backends. */
const loadedLate = new Set(
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js') && !file.startsWith('program'))
    .flatMap(file => {
      const path = join(dist, file)
      const imports = readFileSync(path, 'utf8').matchAll(/import\('(\.[^']+)'\)/g)
      return [...imports].map(([, to]) => join(dirname(path), to))
    }),
)

/**
 * By default, each set of entry points that share a module gets its own chunk, more than a hundred for an evaluation, and Node takes as long for a
 * small one as for a large one. Here each module that is loaded late imports what most commands need, so that all this is one chunk.
 */
const oneChunk = {
  name: 'one-chunk',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^most-commands$/ }, ({ path }) => ({ path, namespace: 'commands' }))
    onLoad({ filter: /.*/, namespace: 'commands' }, () => ({
      contents: mostCommands.map(path => `import ${JSON.stringify(path)}`).join('\n'),
      resolveDir: dist,
    }))
  },
}

const sharing = path => (loadedLate.has(path) && !smallCommands.has(path) ? "import 'most-commands';" : '')

/** Code that asks for its own location gets the path of tsc's output, not of the bundle. */
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
  // There is one build, so that a plugin that imports this package gets the same classes as the program.
  entryPoints: { main: join(dist, 'src/cli/main.js'), library: join(dist, 'src/index.js') },
  outdir: folder,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.14',
  // Less text to parse at every start. Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  // CommonJS packages load Node's modules with `require`.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
  },
  plugins: [undiciClient, oneLanguage, oneChunk, externals, places],
})
// The client also runs in browsers, so it is a file by itself that imports nothing. The check of Node's version is one that an older Node can read.
await build({
  entryPoints: { client: join(dist, 'src/service/client/index.js'), 'require-node': join(dist, 'src/require-node.js') },
  outdir: folder,
  bundle: true,
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
})
for (const name of bundledPackages) {
  const license = join(root, 'node_modules', name, 'LICENSE')
  if (existsSync(license)) copyFileSync(license, join(folder, `${name.replace('/', '-')}.LICENSE`))
}

// Imports run in their order, so the check comes before the library's packages are loaded.
writeFileSync(join(folder, 'index.js'), `import './require-node.js'\nexport * from './library.js'\n`)

const bin = join(dist, 'src/cli/bin.js')
writeFileSync(bin, readFileSync(bin, 'utf8').replace("'./main.js'", "'../../program/main.js'"))
