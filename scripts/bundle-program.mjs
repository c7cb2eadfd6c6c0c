// Puts the compiled program and its library into a few files under dist/program/: a module of its own costs Node a quarter of
// a millisecond whenever the program starts, and there are hundreds. Packages of many modules go in, too. Runs after tsc, whose
// files stay beside it: threads and child processes start from them.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const bundledPackages = ['hyparquet', 'hyparquet-writer', 'yaml', 'zod']
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const folder = join(dist, 'program')

const externals = {
  name: 'externals',
  setup({ onResolve }) {
    // A bare name: a package, unless it is one of those that go in.
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || bundledPackages.includes(path.split('/')[0]) ? undefined : { path, external: true },
    )
  },
}

/** Code that asks where it is must be told where tsc put it, from where the bundle is. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const inDist = relative(dist, path).split('\\').join('/')
      if (inDist.startsWith('..')) return undefined
      const contents = readFileSync(path, 'utf8')
      const place = `new URL('../${inDist}', import.meta.url).href`
      return { contents: contents.replaceAll('import.meta.url', place), resolveDir: dirname(path) }
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
  logLevel: 'warning',
  // CommonJS packages ask for Node's own modules by `require`.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
  },
  plugins: [externals, places],
})
for (const name of bundledPackages)
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(folder, `${name}.LICENSE`))

const bin = join(dist, 'src/cli/bin.js')
writeFileSync(bin, readFileSync(bin, 'utf8').replace("'./main.js'", "'../../program/main.js'"))
