//! Turns of the agent against a scripted model server, in one binary so that it is linked once.

mod approval;
mod attachments;
mod conversation;
mod local;
mod long;
mod loopback;
mod pages;
mod round_trip;
mod scene;
mod skill_commands;
mod skills_refresh;
mod steer;
mod visibility;
mod web;
