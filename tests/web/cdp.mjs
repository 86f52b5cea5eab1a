// SPDX-License-Identifier: MIT
// A headless Chromium, spoken to over a pipe in the DevTools protocol: the few calls that the tests need.
import { spawn } from 'node:child_process';

const FLAGS = [
	'--headless=new',
	'--remote-debugging-pipe',
	'--no-sandbox', // the tests run as root
	'--no-first-run',
	'--no-default-browser-check',
	'--disable-gpu',
	'--disable-quic',
	'--disable-dev-shm-usage',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-extensions',
	'--disable-sync',
	'--hide-scrollbars',
	'--force-color-profile=srgb',
	'--font-render-hinting=none',
];

export class Browser {
	#process;
	#exited;
	#rest = '';
	#next = 1;
	#waiting = new Map();
	#listeners = new Set();

	constructor(program, folder) {
		this.#process = spawn(program, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], {
			// HOME too: nothing is left behind in that of whoever runs the test.
			env: { ...process.env, HOME: folder },
			stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
		});
		this.#exited = new Promise((resolve) => {
			const ended = () => {
				for (const { reject } of this.#waiting.values())
					reject(new Error('the browser ended'));
				this.#waiting.clear();
				resolve();
			};
			this.#process.once('exit', ended);
			this.#process.once('error', ended);
		});
		this.#process.stdio[3].on('error', () => {});
		this.#process.stdio[4].setEncoding('utf8').on('data', (data) => this.#read(data));
	}

	#read(data) {
		const messages = (this.#rest + data).split('\0');
		this.#rest = messages.pop();
		for (const message of messages.map(JSON.parse)) {
			if (!message.id) {
				for (const listener of this.#listeners)
					listener(message);
				continue;
			}
			const { resolve, reject } = this.#waiting.get(message.id);
			this.#waiting.delete(message.id);
			if (message.error)
				reject(new Error(message.error.message));
			else
				resolve(message.result);
		}
	}

	send(method, params = {}, sessionId = undefined) {
		const id = this.#next++;
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
			this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
		});
	}

	/* A tab of its own, closed by its close(); on(event) is called with every (method, params) of it. */
	async open(on) {
		const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
		const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
		const listener = (message) => {
			if (message.sessionId === sessionId)
				on(message.method, message.params);
		};
		this.#listeners.add(listener);
		return {
			send: (method, params) => this.send(method, params, sessionId),
			close: async () => {
				this.#listeners.delete(listener);
				await this.send('Target.closeTarget', { targetId });
			},
		};
	}

	async close() {
		await this.send('Browser.close').catch(() => {});
		await this.#exited;
	}
}
