// Makes the files of `bundle/` from `source/` and from the packages that package.json names. Run it by  make web
//
// bundle/viewer.js   source/ and three.js, as one script
// bundle/study.js   source/study/ and what it uses of source/
// bundle/plotly.js   plotly.js, the basic bundle, as it comes
// bundle/*.LICENSE   licences of both, which go wherever they go
// bundle/made-of.json   versions, and the hash of the sources, by which a test knows that the bundle is up to date

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url);
const modules = (path) => here(`node_modules/${path}`);
const version = (name) => JSON.parse(readFileSync(modules(`${name}/package.json`))).version;

mkdirSync(here("bundle"), { recursive: true });
const make = (entry, bundle, banner) =>
  build({
    entryPoints: [here(`source/${entry}`).pathname],
    outfile: here(`bundle/${bundle}`).pathname,
    bundle: true,
    minify: true,
    format: "iife",
    target: ["chrome100", "firefox113", "safari16.4"],
    legalComments: "none",
    banner: { js: banner },
  });
await make("main.js", "viewer.js", "/* three.js: MIT licence, see three.LICENSE of grouser */");
await make("study/main.js", "study.js", "");
copyFileSync(modules("plotly.js-basic-dist-min/plotly-basic.min.js"), here("bundle/plotly.js"));
copyFileSync(modules("three/LICENSE"), here("bundle/three.LICENSE"));
copyFileSync(modules("plotly.js-basic-dist-min/LICENSE"), here("bundle/plotly.LICENSE"));

const hash = createHash("sha256");
const names = readdirSync(here("source"), { recursive: true }).filter((name) => name.endsWith(".js"));
for (const name of names.sort()) hash.update(name).update(readFileSync(here(`source/${name}`)));
const facts = { three: version("three"), plotly: version("plotly.js-basic-dist-min"), source: hash.digest("hex") };
writeFileSync(here("bundle/made-of.json"), `${JSON.stringify(facts, null, 2)}\n`);
