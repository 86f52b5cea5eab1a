// SPDX-License-Identifier: MIT
// png_size(bytes) - { width, height } of a PNG that is there to its last byte; throws what is wrong with it.
import { inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function png_size(bytes) {
	if (!bytes.subarray(0, 8).equals(SIGNATURE))
		throw new Error('not a PNG');
	const pixels = [];
	let at = 8;
	let type = '';
	let width, height, depth, colour;

	while (type !== 'IEND') {
		if (at + 12 > bytes.length)
			throw new Error('a PNG that is cut short');
		const length = bytes.readUInt32BE(at);
		const data = bytes.subarray(at + 8, at + 8 + length);
		type = bytes.toString('latin1', at + 4, at + 8);
		if (type === 'IHDR')
			[width, height, depth, colour] = [data.readUInt32BE(0), data.readUInt32BE(4), data[8], data[9]];
		if (type === 'IDAT')
			pixels.push(data);
		at += length + 12;
	}
	const row = 1 + Math.ceil((width * depth * CHANNELS[colour]) / 8);
	if (inflateSync(Buffer.concat(pixels)).length !== row * height)
		throw new Error('a PNG with pixels missing');
	return { width, height };
}
