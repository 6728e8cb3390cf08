//! Turns of the agent against a scripted model server, in one binary so that it is linked once.

mod approval;
mod attachments;
mod conversation;
mod laws;
mod local;
mod long;
mod loopback;
mod pages;
mod scene;
mod skill_commands;
mod steer;
