/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of `pitot show`: draws the profile that stands in the page as JSON
 * (outside/pitot/show_page.c). Built into the program; needs no other code and no network.
 *
 * `profile`: title; what `samples` are; events and their units; threads; names of functions;
 * places; nodes, a parent and a name each, node 0 above all; rows, six numbers each: event, thread,
 * node, place or -1, weight, samples. A page of outside/show/answer.js may have none.
 */

const profileData = document.getElementById('profile');
const profile = profileData && JSON.parse(profileData.textContent);
const ROW = 6;
const HEIGHT = 16;       // of a function, as in page.css
const NARROW = 0.0007;   // of the width; narrower functions are not drawn
const TABLE_MOST = 200;  // rows
const byId = id => document.getElementById(id);

const state = {event: 0, thread: -1, inverted: false, zoom: null, search: null};

/* --- The chosen samples ----------------------------------------------------------------------- */

function chosenRows() {
    const rows = [], all = profile.rows;
    for (let at = 0; at < all.length; at += ROW)
        if (all[at] === state.event && (state.thread < 0 || all[at + 1] === state.thread))
            rows.push({thread: all[at + 1], node: all[at + 2], place: all[at + 3],
                       weight: all[at + 4], samples: all[at + 5]});
    return rows;
}

/* The names of a chain, innermost first. */
function chainOf(node) {
    const chain = [];
    for (; node !== 0; node = profile.nodes[2 * node])
        chain.push(profile.nodes[2 * node + 1]);
    return chain;
}

function newFrame(name, parent) {
    return {name, parent, weight: 0, self: 0, children: new Map()};
}

/* A tree of calls: from outermost functions down, or inverted, from innermost ones. */
function buildTree(rows) {
    const root = newFrame(-1, null);
    for (const row of rows) {
        const chain = chainOf(row.node);
        if (!state.inverted)
            chain.reverse();
        let frame = root;
        frame.weight += row.weight;
        for (const name of chain) {
            if (!frame.children.has(name))
                frame.children.set(name, newFrame(name, frame));
            frame = frame.children.get(name);
            frame.weight += row.weight;
        }
        frame.self += row.weight;
    }
    return root;
}

/* --- Texts ------------------------------------------------------------------------------------ */

const number = value => value.toLocaleString('en-US');
const share = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(2) + '%';
const nameOf = frame => frame.name < 0 ? 'all' : profile.names[frame.name];

/* The same function has the same colour everywhere; what has no name is grey. */
function colourOf(name) {
    let sum = 0;
    for (let i = 0; i < name.length; i++)
        sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
    return name[0] === '[' ? 'hsl(0,0%,80%)'
        : `hsl(${sum % 50 + 5},${70 + (sum >> 6) % 20}%,${60 + (sum >> 12) % 12}%)`;
}

function describe(frame) {
    return `${nameOf(frame)}: ${number(frame.weight)} ${profile.units[state.event]}, ` +
        `${share(frame.weight, tree.weight)}, self ${number(frame.self)}`;
}

/* --- The flame graph -------------------------------------------------------------------------- */

let rows = [], tree = newFrame(-1, null);

function drawFrame(graph, frame, level, left, width, outer) {
    const box = document.createElement('div');
    box.className = 'frame' + (outer ? ' outer' : '');
    if (state.search && frame.name >= 0 && state.search.test(nameOf(frame)))
        box.className += ' found';
    box.style.left = 100 * left + '%';
    box.style.width = 100 * width + '%';
    box.style.top = level * HEIGHT + 'px';
    box.style.background = colourOf(nameOf(frame));
    box.textContent = width > 0.015 ? nameOf(frame) : '';
    box.title = describe(frame);
    box.onclick = () => { state.zoom = frame; drawGraph(); showFunction(nameOf(frame)); };
    box.onmouseenter = () => { byId('status').textContent = describe(frame); };
    graph.append(box);
}

/* What the zoomed function calls fills the width; its callers stand above it. */
function drawGraph() {
    const graph = byId('graph'), zoom = state.zoom || tree, callers = [];
    graph.replaceChildren();
    for (let frame = zoom.parent; frame; frame = frame.parent)
        callers.unshift(frame);
    callers.forEach((frame, level) => drawFrame(graph, frame, level, 0, 1, true));
    let deepest = callers.length;
    const pending = [[zoom, callers.length, 0, 1]];
    while (pending.length > 0) {
        const [frame, level, from, width] = pending.pop();
        drawFrame(graph, frame, level, from, width, false);
        deepest = Math.max(deepest, level);
        let left = from;
        for (const child of [...frame.children.values()].sort((a, b) => b.weight - a.weight)) {
            const part = zoom.weight ? child.weight / zoom.weight : 0;
            if (part >= NARROW)
                pending.push([child, level + 1, left, part]);
            left += part;
        }
    }
    graph.style.height = (deepest + 1) * HEIGHT + 'px';
    byId('unzoom').disabled = zoom === tree;
    byId('status').textContent = describe(zoom);
}

/* --- Tables ----------------------------------------------------------------------------------- */

function fillTable(id, lines, onclick) {
    const body = document.querySelector(`#${id} tbody`);
    body.replaceChildren();
    for (const line of lines.slice(0, TABLE_MOST)) {
        const row = body.insertRow();
        for (const cell of line.cells)
            row.insertCell().textContent = cell;
        row.onclick = () => onclick(line);
    }
}

/* A function counts once in a chain, however often it stands there. */
function drawFunctions() {
    const functions = new Map();
    const of = name => {
        if (!functions.has(name))
            functions.set(name, {name, self: 0, total: 0, samples: 0});
        return functions.get(name);
    };
    for (const row of rows) {
        const chain = chainOf(row.node);
        for (const name of new Set(chain))
            of(name).total += row.weight;
        if (chain.length > 0) {
            of(chain[0]).self += row.weight;
            of(chain[0]).samples += row.samples;
        }
    }
    const sorted = [...functions.values()].sort((a, b) => b.self - a.self || b.total - a.total);
    fillTable('functions', sorted.map(each => ({
        name: profile.names[each.name],
        cells: [share(each.self, tree.weight), number(each.self), number(each.samples),
                share(each.total, tree.weight), number(each.total), profile.names[each.name]],
    })), line => search('^' + line.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$'));
}

/* A watch's accesses: by the place of the instruction, with the most frequent chain to it. */
function drawPlaces() {
    const places = new Map();
    for (const row of rows) {
        if (row.place < 0)
            continue;
        if (!places.has(row.place))
            places.set(row.place, {weight: 0, samples: 0, threads: new Set(), chains: new Map()});
        const place = places.get(row.place);
        place.weight += row.weight;
        place.samples += row.samples;
        place.threads.add(row.thread);
        place.chains.set(row.node, (place.chains.get(row.node) || 0) + row.weight);
    }
    byId('places').hidden = places.size === 0;
    const sorted = [...places].sort((a, b) => b[1].weight - a[1].weight);
    fillTable('places', sorted.map(([number_, place]) => {
        const [node] = [...place.chains].reduce((a, b) => b[1] > a[1] ? b : a);
        const callers = chainOf(node).slice(1).map(name => profile.names[name]).join(' < ');
        return {name: profile.places[number_],
                cells: [share(place.weight, tree.weight), number(place.weight),
                        number(place.samples), number(place.threads.size),
                        profile.places[number_], callers]};
    }), line => search('^' + line.name.replace(/\+0x[0-9a-f]+$/, '')
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$'));
}

/* --- Controls --------------------------------------------------------------------------------- */

/* The weight of the chains in which a function matches. */
function drawFound() {
    byId('found').textContent = '';
    if (!state.search)
        return;
    const matches = profile.names.map(name => state.search.test(name));
    let found = 0;
    for (const row of rows)
        if (chainOf(row.node).some(name => matches[name]))
            found += row.weight;
    byId('found').textContent = `${share(found, tree.weight)}, ${number(found)} found`;
}

function search(text) {
    byId('search').value = text;
    try {
        state.search = text ? new RegExp(text) : null;
    } catch (error) {
        state.search = null;
        byId('found').textContent = 'no regular expression';
        return;
    }
    drawGraph();
    drawFound();
}

function draw() {
    rows = chosenRows();
    tree = buildTree(rows);
    state.zoom = null;
    drawGraph();
    drawFunctions();
    drawPlaces();
    drawFound();
}

function addChoice(select, text, value) {
    const option = document.createElement('option');
    option.textContent = text;
    option.value = value;
    select.append(option);
}

/* The threads that have samples of the event, heaviest first. */
function listThreads() {
    const weights = new Map();
    for (let at = 0; at < profile.rows.length; at += ROW)
        if (profile.rows[at] === state.event)
            weights.set(profile.rows[at + 1],
                        (weights.get(profile.rows[at + 1]) || 0) + profile.rows[at + 4]);
    const select = byId('thread');
    select.replaceChildren();
    addChoice(select, `all (${weights.size})`, -1);
    for (const [thread, weight] of [...weights].sort((a, b) => b[1] - a[1]))
        addChoice(select, `${profile.threads[thread]}: ${number(weight)}`, thread);
    state.thread = -1;
}

function start() {
    document.title = byId('title').textContent = profile.title;
    profile.events.forEach((event, index) => addChoice(byId('event'), event, index));
    byId('event').onchange = event => {
        state.event = Number(event.target.value);
        listThreads();
        draw();
    };
    byId('thread').onchange = event => { state.thread = Number(event.target.value); draw(); };
    byId('inverted').onchange = event => { state.inverted = event.target.checked; draw(); };
    byId('search').oninput = event => search(event.target.value);
    byId('unzoom').onclick = () => { state.zoom = null; drawGraph(); };
    byId('drawing').hidden = byId('tables').hidden = false;
    byId('counted').textContent = profile.counted;
    byId('thread').parentElement.hidden = profile.threads.length === 1;
    byId('unchained').hidden = answer || profile.nodes.some((parent, at) => at % 2 === 0 && parent !== 0);
    listThreads();
    draw();
}

if (profile)
    start();
