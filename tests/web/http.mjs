// SPDX-License-Identifier: MIT
// get(base, target) - one request as it stands, even one that no client would send: { status, headers, body }.
import net from 'node:net';

export function get(base, target, { method = 'GET', from = undefined } = {}) {
	const { hostname, port } = new URL(base);
	return new Promise((resolve, reject) => {
		const socket = net.connect({ host: hostname, port: Number(port), localAddress: from });
		const parts = [];
		const done = () => {
			const bytes = Buffer.concat(parts);
			const end = bytes.indexOf('\r\n\r\n');
			if (end < 0)
				return resolve({ status: 0, headers: new Map(), body: bytes });
			const [first, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
			const headers = new Map(lines.map((line) => {
				const colon = line.indexOf(':');
				return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
			}));
			return resolve({ status: Number(first.split(' ')[1]), headers, body: bytes.subarray(end + 4) });
		};
		// A server may refuse before it has read everything: what it said counts.
		socket.on('error', (error) => (parts.length > 0 || error.code === 'ECONNRESET' ? done() : reject(error)));
		socket.on('data', (data) => parts.push(data));
		socket.on('end', done);
		// HTTP/1.0: no chunks in the body.
		socket.write(Buffer.from(`${method} ${target} HTTP/1.0\r\nHost: ${hostname}:${port}\r\n\r\n`, 'utf8'));
	});
}
