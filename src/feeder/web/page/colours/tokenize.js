// The tokenizer of @speed-highlight/core 2.1.0 (CC0, see languages.license), without its comments.
const expandData = {
	num: {
		type: 'num',
		match: /(\.e?|\b)\d(e-|[\d.oxa-fA-F_])*(\.|\b)/g
	},
	str: {
		type: 'str',
		match: /(["'])(\\[^]|(?!\1)[^\r\n\\])*\1?/g
	},
	strDouble: {
		type: 'str',
		match: /"((?!")[^\r\n\\]|\\[^])*"?/g
	}
};

export function* tokenizer(src, lang, onToken, fallback) {
	let i = 0;
	try {
		let m,
			part,
			first = {},
			match,
			cache = [],
			data = (typeof lang === 'string' ? yield lang : lang),
			arr = [...(data.sub ?? data)];

		while (i < src.length) {
			first.index = null;
			for (m = arr.length; m-- > 0;) {
				part = arr[m].expand ? expandData[arr[m].expand] : arr[m];
				if (cache[m] === undefined || cache[m].match.index < i) {
					part.match.lastIndex = i;
					match = part.match.exec(src);
					if (match === null) {
						arr.splice(m, 1);
						cache.splice(m, 1);
						continue;
					}
					cache[m] = { match, lastIndex: part.match.lastIndex };
				}
				if (cache[m].match[0] && (cache[m].match.index <= first.index || first.index === null))
					first = {
						part: part,
						index: cache[m].match.index,
						match: cache[m].match[0],
						end: cache[m].lastIndex
					}
			}
			if (first.index === null)
				break;
			onToken(src.slice(i, first.index), data.type);
			i = first.index;
			if (first.part.sub)
				yield* tokenizer(first.match, typeof first.part.sub === 'string' ? first.part.sub : (typeof first.part.sub === 'function' ? first.part.sub(first.match) : first.part), onToken, first.part.type);
			else
				onToken(first.match, first.part.type);
			i = first.end;
		}
		onToken(src.slice(i, src.length), data.type);
	}
	catch {
		onToken(src.slice(i), fallback);
	}
}

export function tokenizeWith(src, lang, onToken, opt = {}) {
	let it = tokenizer(src, lang, onToken),
		res = it.next();

	while (!res.done)
		res = it.next(opt.languages?.[(res.value)]);
}
