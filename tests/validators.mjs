// SPDX-License-Identifier: MIT
// validators.mjs TRACE: what Chrome's own engine finds in it, for validators.sh.
import fs from 'node:fs';
import path from 'node:path';

const root = process.env.VALIDATORS;
const engine = path.join(root, 'node_modules/@paulirish/trace_engine');
await import(path.join(engine, 'analyze-trace.mjs'));
const Trace = await import(path.join(engine, 'models/trace/trace.js'));
const model = Trace.TraceModel.Model.createWithAllHandlers();
await model.parse(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')).traceEvents);
const {Meta, Renderer} = model.parsedTrace().data;
let slices = 0;
for (const process of Renderer.processes.values())
	for (const thread of process.threads.values())
		slices += thread.entries.length;
const threads = [...Meta.threadsInProcess.values()].reduce((sum, all) => sum + all.size, 0);
console.log(`${Meta.threadsInProcess.size} processes, ${threads} threads, ${slices} slices`);
