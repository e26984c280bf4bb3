/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of `pitot blame --html` and `pitot graph --html`: the lines of the answer, and the source
 * of each that is about code. The answer stands in the page as JSON (outside/pitot/question.c).
 * Built into the program; needs no other code and no network.
 *
 * `answer`: title; note, why sources are missing; lines: text, file or -1, number in the file;
 * files: name, note, and parts: the number of the first line, then the texts.
 */
'use strict';

const answerData = document.getElementById('answer-data');
const answer = answerData && JSON.parse(answerData.textContent);

const fileOf = path => path.slice(path.lastIndexOf('/') + 1);

/* The text of a line, or undefined. */
function sourceLine(file, number) {
    for (const [first, ...texts] of answer.files[file].parts)
        if (number >= first && number < first + texts.length)
            return texts[number - first];
    return undefined;
}

/* Shows the file in which a line of the answer stands; the lines of others there are marked, too. */
function showSource(chosen) {
    const [, file, number] = answer.lines[chosen];
    const {name, note, parts} = answer.files[file];
    const asked = new Set(answer.lines.filter(line => line[1] === file).map(line => line[2]));
    const panel = document.querySelector('#source');
    const body = panel.querySelector('tbody');
    let here = null;

    panel.querySelector('h2').textContent = `${name}:${number}`;
    panel.querySelector('p').textContent = note;
    body.replaceChildren();
    for (const [first, ...texts] of parts) {
        texts.forEach((text, index) => {
            const row = body.insertRow();
            row.insertCell().textContent = first + index;
            row.insertCell().textContent = text;
            row.classList.toggle('asked', asked.has(first + index));
            if (first + index === number)
                here = row;
        });
        body.insertRow().className = 'gap';
    }
    document.querySelectorAll('#lines tr').forEach((row, index) =>
        row.classList.toggle('here', index === chosen));
    if (here) {
        here.className = 'here';
        panel.scrollTop = here.offsetTop - panel.clientHeight / 3;
    }
}

/* What the flame graph was clicked for. */
function showFunction(name) {
    const chosen = answer ? answer.lines.findIndex(line =>
        line[1] >= 0 && line[0].includes(` ${name}()`)) : -1;
    if (chosen >= 0)
        showSource(chosen);
}

function drawAnswer() {
    const body = document.querySelector('#lines tbody');

    document.title = document.getElementById('title').textContent = answer.title;
    document.getElementById('note').textContent = answer.note;
    document.getElementById('answer').hidden = false;
    document.getElementById('source').hidden = !answer.lines.some(line => line[1] >= 0);
    answer.lines.forEach(([text, file, number], index) => {
        const row = body.insertRow();
        row.insertCell().textContent = text;
        if (file < 0) {
            row.cells[0].colSpan = 3;
            return;
        }
        row.insertCell().textContent = `${fileOf(answer.files[file].name)}:${number}`;
        row.insertCell().textContent =
            (sourceLine(file, number) ?? answer.files[file].note).trim();
        row.onclick = () => showSource(index);
    });
    const first = answer.lines.findIndex(line => line[1] >= 0);
    if (first >= 0)
        showSource(first);
}

if (answer)
    drawAnswer();
