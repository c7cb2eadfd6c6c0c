// Puts packages of many modules into one file each under dist/packages/, and has the compiled code import those: a module of its
// own costs Node a quarter of a millisecond whenever the program starts, and these are two hundred. Runs after tsc.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = ['hyparquet', 'hyparquet-writer', 'yaml', 'zod']

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const folder = join(dist, 'packages')

/** What a package exports by name, whether it is made of ES modules or not: of the others esbuild sees one object. */
async function entryOf(name) {
  const names = Object.keys(await import(name)).filter(exported => /^(?!default$)\w+$/.test(exported))
  return `export { ${names.join(', ')} } from '${name}'\n`
}

const entries = new Map(await Promise.all(packages.map(async name => [name, await entryOf(name)])))

const { metafile } = await build({
  entryPoints: packages.map(name => ({ in: `entry:${name}`, out: name })),
  outdir: folder,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  metafile: true,
  // CommonJS packages ask for Node's own modules by `require`.
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  plugins: [
    {
      name: 'entries',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice('entry:'.length), namespace: 'entry' }))
        onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({ contents: entries.get(path), resolveDir: root }))
      },
    },
  ],
})
for (const name of packages) copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(folder, `${name}.LICENSE`))

const made = new Set(Object.keys(metafile.outputs).map(path => basename(path)))
for (const file of readdirSync(folder)) if (file.endsWith('.js') && !made.has(file)) rmSync(join(folder, file))

const imported = new RegExp(`(\\bfrom |\\bimport |\\bimport\\()'(${packages.join('|')})'`, 'g')
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.js') || file.startsWith('packages')) continue
  const path = join(dist, file)
  const text = readFileSync(path, 'utf8')
  const place = relative(dirname(path), folder).split('\\').join('/')
  const bundled = text.replace(imported, (_, keyword, name) => `${keyword}'${place}/${name}.js'`)
  if (bundled !== text) writeFileSync(path, bundled)
}
